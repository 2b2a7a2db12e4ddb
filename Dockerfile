# Two stages: the first builds the wheel and a virtual environment, the second holds nothing but what runs.
# The image underneath is named by its digest, for all processors together (docs/operations.md says how to take another).

FROM python:3.12-slim-bookworm@sha256:0f5b26b9518d002b6173fd61daad821fa340635ebfec5bba471013f9ca114579 AS python

FROM python AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
COPY requirements.lock pyproject.toml README.md LICENSE ./
COPY engine engine
COPY render render
COPY storage storage
COPY bot bot
RUN python -m venv /app \
    && /app/bin/pip install --require-hashes --requirement requirements.lock \
    && /app/bin/pip install --no-deps --no-build-isolation . \
    && /app/bin/pip uninstall --yes setuptools

FROM python
LABEL org.opencontainers.image.title="Tavoliere" \
      org.opencontainers.image.description="A chat bot for little-known abstract board games" \
      org.opencontainers.image.licenses="MIT"
RUN useradd --system --uid 10001 --home-dir /data --no-create-home tavoliere \
    && install -d -o tavoliere -g tavoliere -m 0700 /data
COPY --from=build /app /app
ENV PATH=/app/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    TAVOLIERE_DATA_DIR=/data \
    TAVOLIERE_WEB_HOST=0.0.0.0
USER tavoliere
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["tavoliere", "health"]
ENTRYPOINT ["tavoliere"]
CMD ["serve"]
