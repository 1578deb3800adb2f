# One image for both processes: the service (collector, jobs, alerts, API) and the dashboard.
FROM python:3.12-slim AS base
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1
WORKDIR /app
COPY requirements.lock ./
RUN pip install --require-hashes --requirement requirements.lock
COPY pyproject.toml README.md LICENSE CHANGELOG.md ./
COPY telltale ./telltale
COPY collector ./collector
COPY analytics ./analytics
COPY dashboard ./dashboard
COPY sample_traces ./sample_traces
RUN pip install --no-deps --editable . \
    && useradd --create-home --uid 10001 telltale \
    && install -d -o telltale -g telltale /data
# The rooms are plain top-level packages: without this a stranger's `analytics` in site-packages would win.
ENV PYTHONPATH=/app TELLTALE_DB=/data/telltale.db
USER telltale
VOLUME /data
EXPOSE 4317 4318 4319 8501
STOPSIGNAL SIGTERM
ENTRYPOINT ["telltale"]
CMD ["serve"]
