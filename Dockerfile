# A server of one home. docs/howto/run-a-server.md says how it is used.

FROM python:3.12-slim AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /build

# Exactly the files that were locked; nothing is compiled here.
COPY requirements requirements
RUN python -m venv /opt/pinyon \
    && /opt/pinyon/bin/python -m pip install --require-hashes --only-binary=:all: \
        -r requirements/run.txt -r requirements/server.txt -r requirements/otel.txt \
        -r requirements/local.txt
RUN python -m venv tools \
    && tools/bin/python -m pip install --require-hashes --only-binary=:all: \
        -r requirements/build.txt

# The weights before the sources, which change more often.
COPY packages/pinyon-models packages/pinyon-models
RUN tools/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir wheels \
        ./packages/pinyon-models

COPY LICENSE README.md pyproject.toml ./
COPY src src
RUN tools/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir wheels . \
    && /opt/pinyon/bin/python -m pip install --no-deps --no-index wheels/*.whl


FROM python:3.12-slim
ENV PATH=/opt/pinyon/bin:$PATH PINYON_HOME=/var/lib/pinyon PYTHONUNBUFFERED=1
RUN groupadd --gid 10001 pinyon \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/pinyon pinyon \
    && install -d -m 0700 -o pinyon -g pinyon /var/lib/pinyon
COPY --from=build /opt/pinyon /opt/pinyon
USER 10001:10001
VOLUME /var/lib/pinyon
EXPOSE 7469
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "from http.client import HTTPConnection as H; h = H('127.0.0.1', 7469, timeout=4); h.request('GET', '/healthz'); raise SystemExit(h.getresponse().status != 200)"]
ENTRYPOINT ["pinyon"]
CMD ["serve", "--host", "0.0.0.0", "--log-json"]
