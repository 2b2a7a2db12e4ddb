"""What `make setup` leaves out is said, with what of it is there already."""

from pathlib import Path

from tools.left_out import list_left_out


def said(folder: Path, *there: str) -> dict[str, str]:
    return dict(list_left_out(lambda name: f"/usr/bin/{name}" if name in there else None, folder))


def test_on_a_bare_machine_each_part_has_its_use_and_its_way(tmp_path: Path) -> None:
    output = said(tmp_path)
    assert list(output) == ["tools for development", "a browser", "a C compiler", "a PostgreSQL server", "tokens"]
    assert "apt-get install chromium" in output["a browser"]
    assert "apt-get install gcc" in output["a C compiler"]


def test_installed_tools_are_found(tmp_path: Path) -> None:
    (tmp_path / ".dev").touch()
    output = said(tmp_path, "chromium", "gcc")
    assert "tools for development" not in output
    assert output["a browser"].endswith("found: /usr/bin/chromium")
    assert output["a C compiler"].endswith("found: /usr/bin/gcc")
