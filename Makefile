# One script per habit. `make start` and `make test` need nothing but Python 3.11+, git and make.

VENV := .venv
BIN := $(VENV)/bin
PYTHON := $(shell for p in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help setup start test quick test-game check full bench compiled oracle golden docs gallery format dist release clean constraints lock

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

$(VENV)/pyvenv.cfg:
	@test -n "$(PYTHON)" || { echo "Tavoliere needs Python 3.11 or newer; none was found. Say where it is with: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Python could not make a virtual environment (on Debian and Ubuntu: apt-get install python3-venv)." >&2; rm -rf $(VENV); exit 1; }

# Nothing that was not there when the lock was made: pip compares every file with its hash. What builds is in it, too.
$(VENV)/.run: $(VENV)/pyvenv.cfg pyproject.toml requirements.lock
	@echo "Setting up (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/pyvenv.cfg pyproject.toml constraints.txt
	@echo "Setting up for development (once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,postgresql]'
	@touch $@ $(VENV)/.run

setup: $(VENV)/.run  ## set everything up, without starting; says what it leaves out
	@$(BIN)/python tools/left_out.py

start: $(VENV)/.run  ## set everything up and start Tavoliere
	@exec $(BIN)/tavoliere serve $(ARGS)

test: $(VENV)/.dev  ## set everything up and run the tests
	$(BIN)/python -m pytest -n auto --dist worksteal -m 'not full' $(ARGS)

quick: $(VENV)/.dev  ## run the tests that most changes break, in under a minute
	$(BIN)/python tools/quick.py $(ARGS)

test-game: $(VENV)/.dev  ## test one game and say what is left to do, the worst first: make test-game GAME=annuvin
	@test -n "$(GAME)" || { echo "Which game? For example: make test-game GAME=annuvin" >&2; exit 1; }
	$(BIN)/python -m pytest -n 2 --dist worksteal -m 'not full' --tb=short -r N --game $(GAME) $(ARGS)

check: $(VENV)/.dev  ## style, types, import directions, translations, sizes, paths, words, one of each
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/python tools/check_translations.py
	$(BIN)/python tools/check_modules.py
	$(BIN)/python tools/check_paths.py
	$(BIN)/python tools/check_words.py
	$(BIN)/python tools/check_mechanisms.py
	$(BIN)/python -m tools.figures

full: $(VENV)/.dev  ## the long versions of the tests and all benchmarks; puts their figures into docs/measurements.md
	$(BIN)/python tools/full.py $(ARGS)

bench: $(VENV)/.dev  ## print figures and ratios
	@for part in bench/[a-z]*.py; do PYTHONPATH=. $(BIN)/python $$part $(ARGS) || exit 1; done

compiled: $(VENV)/.dev  ## let computer players think faster (needs a C compiler; optional)
	@$(BIN)/python -c 'import setuptools' 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check setuptools
	$(BIN)/python -m tools.compile_engine

oracle: $(VENV)/.dev  ## work Annuvin out from its end anew and compare (needs a C compiler; minutes)
	$(BIN)/python -m tools.oracle.make $(ARGS)

golden: $(VENV)/.dev  ## make the golden playthroughs and pictures anew
	$(BIN)/python -m tools.make_golden
	$(BIN)/python -m tools.make_golden_pictures

docs: $(VENV)/.dev  ## draw the pictures of the documentation anew
	$(BIN)/python -m tools.make_docs

gallery: $(VENV)/.dev  ## write out/gallery/index.html with every golden picture
	$(BIN)/python -m tools.make_gallery $(ARGS)

format: $(VENV)/.dev  ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

dist: $(VENV)/.dev  ## build what is released into dist/
	@rm -rf dist
	$(BIN)/python -m build --outdir dist

release: $(VENV)/.dev  ## check version, changelog and tag, build the release into dist/, and say what comes next
	$(BIN)/python tools/release.py

clean:  ## remove what these commands made (not the games)
	rm -rf $(VENV) build dist out *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

constraints:  ## take the newest versions of all dependencies into constraints.txt and requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 13))' || { echo "This needs Python 3.13 or newer: older ones do without audioop-lts, which would be missing." >&2; exit 1; }
	@rm -rf $(VENV)-new && $(PYTHON) -m venv $(VENV)-new && $(VENV)-new/bin/python -m pip install --quiet --disable-pip-version-check '.[dev,postgresql]'
	@{ sed -n 1p constraints.txt; $(VENV)-new/bin/python -m pip freeze --exclude tavoliere; } > constraints.new && mv constraints.new constraints.txt && rm -rf $(VENV)-new build
	@$(MAKE) --no-print-directory lock

lock:  ## write requirements.lock: the versions of constraints.txt with the hashes of their files, for every system
	@rm -rf $(VENV)-new && $(PYTHON) -m venv $(VENV)-new && $(VENV)-new/bin/python -m pip install --quiet --disable-pip-version-check uv
	@{ sed -n 1p requirements.lock; echo 'setuptools' | $(VENV)-new/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --extra postgresql --constraints constraints.txt pyproject.toml -; } > requirements.new && mv requirements.new requirements.lock && rm -rf $(VENV)-new
