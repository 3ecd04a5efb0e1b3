# syntax=docker/dockerfile:1
#
# One image for every Rust service, the command line and the dashboard.
# Not built here: there is no container engine on the development machine.
#
#   docker build -f deploy/images/tarsy.Dockerfile -t tarsy --build-arg TARSY_COMMIT=$(git rev-parse --short HEAD) .
#
# Choose the service by the command: tarsy-api-gateway, tarsy-orchestrator, tarsy-mcp-gateway,
# tarsy-stream-relay, tarsy-summarizer, tarsy-notifier, `tarsy migrate`, or `tarsy-mcp-gateway serve SERVER`.

FROM node:22-bookworm-slim AS dashboard
WORKDIR /src/dashboard
COPY dashboard/package.json dashboard/package-lock.json ./
RUN npm ci
COPY dashboard/ ./
RUN npm run build

FROM rust:1.95-bookworm AS rust
WORKDIR /src
COPY . .
# The commit that the dashboard and `/health` show; without it, that of the checkout.
ARG TARSY_COMMIT=
ENV TARSY_COMMIT=$TARSY_COMMIT
# No protoc and no database are needed: generated code is committed, statements are checked by tests.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --release --locked --bins \
      -p tarsy -p tarsy-api-gateway -p tarsy-orchestrator -p tarsy-mcp-gateway \
      -p tarsy-stream-relay -p tarsy-summarizer -p tarsy-notifier \
      -p tarsy-host-inspector \
 && mkdir -p /out \
 && cp target/release/tarsy target/release/tarsy-api-gateway target/release/tarsy-orchestrator \
       target/release/tarsy-mcp-gateway target/release/tarsy-stream-relay target/release/tarsy-summarizer \
       target/release/tarsy-notifier \
       target/release/tarsy-host-inspector /out/

# Node stays in the image: the built-in Kubernetes tool server is started by npx.
FROM node:22-bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates tini \
 && rm -rf /var/lib/apt/lists/*
COPY --from=rust /out/ /usr/local/bin/
COPY --from=dashboard /src/dashboard/dist /usr/share/tarsy/dashboard
COPY deploy/config /etc/tarsy

# `node` is user and group 1000 of the base image. The tool servers that npx starts come from a lock file with hashes: npx
# takes a package of the folder that it is started in, and `offline` keeps it from asking a registry for another.
# tests/tests/supply_chain.rs does the same outside a container. The version is the one of libs/catalog/src/builtin/tarsy.yaml.
WORKDIR /home/node
COPY deploy/mcp-servers/package.json deploy/mcp-servers/package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev --no-audit --no-fund \
 && mkdir -p /usr/local/etc \
 && printf 'offline=true\nupdate-notifier=false\n' > /usr/local/etc/npmrc
USER 1000:1000
ENV HOME=/home/node
RUN npx -y kubernetes-mcp-server@0.0.66 --version

# An unknown variable that begins with TARSY_ stops the start.
ENV TARSY_CONFIG_DIR=/etc/tarsy \
    TARSY_DASHBOARD_DIR=/usr/share/tarsy/dashboard \
    TARSY_HTTP_ADDR=0.0.0.0:8080 \
    TARSY_ADMIN_ADDR=0.0.0.0:9090
EXPOSE 8080 9090
# tini reaps orphaned processes of tool servers, and passes SIGTERM on.
ENTRYPOINT ["tini", "--"]
CMD ["tarsy-api-gateway"]
