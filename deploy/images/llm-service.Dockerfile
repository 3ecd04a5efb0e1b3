# syntax=docker/dockerfile:1
#
# llm-service: the only process that uses the model vendors' protocols.
# Not built here: there is no container engine on the development machine.
#
#   docker build -f deploy/images/llm-service.Dockerfile -t tarsy-llm-service .

FROM python:3.11-slim-bookworm AS build
RUN python -m venv /opt/llm-service
ENV PATH=/opt/llm-service/bin:$PATH
WORKDIR /src
# Every package is pinned by hash; the generated protobuf code is committed.
COPY llm-service/requirements.txt ./
RUN pip install --no-cache-dir --require-hashes -r requirements.txt
COPY llm-service/pyproject.toml ./
COPY llm-service/src ./src
RUN pip install --no-cache-dir --no-deps .

FROM python:3.11-slim-bookworm
RUN useradd --uid 1000 --user-group --create-home llm
COPY --from=build /opt/llm-service /opt/llm-service
ENV PATH=/opt/llm-service/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    LLM_SERVICE_ADDR=0.0.0.0:50051 \
    TARSY_CONFIG_DIR=/etc/tarsy
RUN mkdir /etc/tarsy
USER 1000:1000
WORKDIR /home/llm
EXPOSE 50051
CMD ["python", "-m", "llm_service.main"]
