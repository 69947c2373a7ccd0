# docker build -t genotex . && docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" genotex solve input output --trait Asthma
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m venv /opt/genotex && /opt/genotex/bin/pip install --no-cache-dir '.[full]'

FROM python:3.12-slim
COPY --from=build /opt/genotex /opt/genotex
RUN useradd --create-home --uid 1000 genotex && mkdir /data && chown genotex /data
# Matplotlib wants a folder of its own, and a user without an entry in passwd has no home.
ENV PATH=/opt/genotex/bin:$PATH PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR=/tmp/matplotlib
USER genotex
WORKDIR /data
ENTRYPOINT ["genotex"]
CMD ["--help"]
