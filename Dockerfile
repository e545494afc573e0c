# syntax=docker/dockerfile:1
# The command and the dashboard, run by a user without rights. Everything they keep is in /workspace.
FROM python:3.11-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/rentmark \
    && /opt/rentmark/bin/pip install --no-cache-dir '.[dashboard,live,postgres]'

FROM python:3.11-slim
RUN useradd --create-home --uid 10001 rentmark \
    && mkdir /workspace \
    && chown rentmark:rentmark /workspace
COPY --from=build /opt/rentmark /opt/rentmark
ENV PATH=/opt/rentmark/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    RENTMARK_WORKSPACE=/workspace
USER 10001
WORKDIR /workspace
VOLUME /workspace
EXPOSE 8050
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8050/healthz', timeout=4)"]
ENTRYPOINT ["rentmark"]
CMD ["serve", "--host", "0.0.0.0"]
