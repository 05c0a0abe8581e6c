# The service in a container: every pipeline of /srv/pipelines, and HTTP on port 8080.
# BASE is any Debian-like image with Python 3.11 or newer and its venv module.
ARG BASE=docker.io/library/python:3.11-slim

FROM ${BASE} AS build
WORKDIR /src
COPY requirements.lock ./
RUN python3 -m venv /opt/watertable && /opt/watertable/bin/pip install --no-cache-dir -q -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY app app
COPY migrations migrations
RUN /opt/watertable/bin/pip install --no-cache-dir -q --no-deps .

FROM ${BASE}
RUN useradd --uid 10001 --user-group --create-home --home-dir /var/lib/watertable watertable
COPY --from=build /opt/watertable /opt/watertable
COPY pipelines /srv/pipelines
ENV PATH=/opt/watertable/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    WATERTABLE_HOME=/var/lib/watertable/data \
    WATERTABLE_HTTP_HOST=0.0.0.0
WORKDIR /var/lib/watertable
USER 10001
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["python3", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8080/livez', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["watertable"]
CMD ["serve", "/srv/pipelines"]
