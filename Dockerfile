# syntax=docker/dockerfile:1
# Debian 13 brings the SQLite that the engine needs from Python 3.12 on (3.42 or later).
# `scripts/release-image` names it by the digest that it has on that day.
ARG PYTHON_IMAGE=python:3.13-slim-trixie
FROM ${PYTHON_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /src
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY bot bot
COPY webhooks webhooks
COPY lab lab
COPY fake_github fake_github
COPY prompts prompts
RUN pip install --constraint constraints.txt hatchling \
    && pip wheel --no-build-isolation --no-deps --wheel-dir /wheel . \
    && python -m venv /opt/bouncer \
    && /opt/bouncer/bin/pip install --constraint constraints.txt "$(echo /wheel/*.whl)[otel]"

FROM ${PYTHON_IMAGE}
ENV PATH=/opt/bouncer/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    BOUNCER_HOST=0.0.0.0 \
    BOUNCER_PORT=8000 \
    BOUNCER_DATABASE_URL=sqlite:////var/lib/bouncer/bouncer.db \
    BOUNCER_CACHE_DIR=/var/lib/bouncer/cache \
    BOUNCER_SETTINGS_FILE=/var/lib/bouncer/app/app.env
# No version is pinned here, because Debian's security mends come as new ones; a release lists what it has (SPDX).
# git reads what is judged; bubblewrap runs code nobody trusts; the container must be started with docs/seccomp-bouncer.json (docs/sandbox.md).
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap git \
    && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 bouncer \
    && useradd --uid 10001 --gid 10001 --home-dir /var/lib/bouncer --create-home --shell /usr/sbin/nologin bouncer \
    && install --directory --owner=10001 --group=10001 /var/lib/bouncer/cache /var/lib/bouncer/app
COPY --from=build /opt/bouncer /opt/bouncer
USER 10001:10001
WORKDIR /var/lib/bouncer
VOLUME /var/lib/bouncer
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ['BOUNCER_PORT'] + '/readyz', timeout=4)"]
ENTRYPOINT ["bouncer"]
CMD ["run"]
