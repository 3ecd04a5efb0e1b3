# syntax=docker/dockerfile:1
#
# llm-service: the only process that uses the model vendors' protocols.
#
#   docker build -f deploy/images/llm-service.Dockerfile -t tarsy-llm-service .
#
# It runs under any user, with a read-only root file system and /tmp to write to.

# Another base takes the place of the registry's, by digest for example. It needs Python 3.11 or newer with venv.
ARG PYTHON_BASE=docker.io/library/python:3.11-slim-bookworm@sha256:528257d48c1da0dcecc2e725d1ae34498d60c965f1241e39cd6a85a8859bdf84

FROM ${PYTHON_BASE} AS build
RUN python3 -m venv /opt/llm-service
ENV PATH=/opt/llm-service/bin:$PATH
# Every package is pinned by hash and listed, those that others need included; the generated protobuf code is committed.
COPY llm-service/requirements.txt /opt/llm-service/
RUN pip install --no-cache-dir --no-deps --require-hashes -r /opt/llm-service/requirements.txt
COPY llm-service/src /opt/llm-service/src
# The bytecode is made here, since nothing can be written later. A package may carry files for other versions of Python.
RUN python -m compileall -q /opt/llm-service/lib /opt/llm-service/src || true

FROM ${PYTHON_BASE}
LABEL org.opencontainers.image.title="TARSy llm-service" \
      org.opencontainers.image.description="Calls of model vendors for TARSy" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/llm-service /opt/llm-service
COPY deploy/images/healthcheck /usr/local/bin/
ENV PATH=/opt/llm-service/bin:$PATH \
    PYTHONPATH=/opt/llm-service/src \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/tmp \
    LLM_SERVICE_ADDR=0.0.0.0:50051 \
    LLM_SERVICE_ADMIN_ADDR=0.0.0.0:9090 \
    TARSY_CONFIG_DIR=/etc/tarsy
RUN mkdir -p /etc/tarsy
USER 1000:0
WORKDIR /tmp
EXPOSE 50051 9090
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["healthcheck"]
CMD ["python", "-m", "llm_service.main"]
