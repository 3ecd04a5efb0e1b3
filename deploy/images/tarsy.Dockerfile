# syntax=docker/dockerfile:1
#
# Two images from one build: `tarsy` has every Rust service, the command line and the dashboard, and no node; `mcp-gateway` has the
# gateway with node, Python and uv for the tool servers that it starts.
#
#   docker build -f deploy/images/tarsy.Dockerfile -t tarsy --target tarsy --build-arg TARSY_COMMIT=$(git rev-parse --short HEAD) .
#   docker build -f deploy/images/tarsy.Dockerfile -t tarsy-mcp-gateway --target mcp-gateway .
#
# `make images` does the same with buildah. Choose the service by the command: tarsy-api-gateway, tarsy-orchestrator,
# tarsy-stream-relay, tarsy-summarizer, tarsy-notifier, tarsy-kubernetes-watcher, `tarsy migrate`, `tarsy provision`; and in the other image
# tarsy-mcp-gateway, or `tarsy-mcp-gateway serve SERVER`.
#
# Both run under any user, with a read-only root file system and /tmp to write to.

# Other bases take the place of the registry's, by digest for example. NODE_BASE needs node and npm, RUNTIME_BASE apt.
ARG RUST_BASE=docker.io/library/rust:1.95.0-bookworm@sha256:6258907abe69656e41cd992e0b705cdcfabcbbe3db374f92ed2d47121282d4a1
ARG NODE_BASE=docker.io/library/node:22-bookworm-slim@sha256:83f487e0a63425e5b4d146fb5e5be574bcbe1b7b843d3ebafdd95eaf7767a7e5
ARG RUNTIME_BASE=docker.io/library/debian:bookworm-slim@sha256:3783cc01769c7b2b1b83a5c5ad96c815348e28ed7da68e2e3687004faa906251
# `compiled` makes everything here. `prebuilt` takes programs from .images/bin and the dashboard from .images/dashboard, which
# deploy/scripts/images.sh fills from a build of the same checkout.
ARG BUILD=compiled

FROM ${NODE_BASE} AS dashboard
WORKDIR /src/dashboard
COPY dashboard/package.json dashboard/package-lock.json ./
RUN npm ci
COPY dashboard/ ./
# The pages of the documentation are among its own.
COPY docs/ ../docs/
RUN npm run build

FROM ${RUST_BASE} AS rust
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
      -p tarsy-host-inspector -p tarsy-kubernetes-watcher \
 && mkdir -p /out \
 && cp target/release/tarsy target/release/tarsy-api-gateway target/release/tarsy-orchestrator \
       target/release/tarsy-mcp-gateway target/release/tarsy-stream-relay target/release/tarsy-summarizer \
       target/release/tarsy-notifier target/release/tarsy-kubernetes-watcher \
       target/release/tarsy-host-inspector /out/

FROM ${RUNTIME_BASE} AS compiled
COPY --from=rust /out/ /programs/
COPY --from=dashboard /src/dashboard/dist /dashboard

FROM ${RUNTIME_BASE} AS prebuilt
COPY .images/bin/ /programs/
COPY .images/dashboard/ /dashboard/

FROM ${BUILD} AS parts

FROM ${NODE_BASE} AS mcp-gateway
LABEL org.opencontainers.image.title="TARSy mcp-gateway" \
      org.opencontainers.image.description="Connections to MCP servers, with node, Python and uv for those that it starts" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates tini python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
# The tool servers that npx starts come from a lock file with hashes: npx takes a package of the folder that it is started in, and
# `offline` keeps it from asking a registry for another. uvx starts what is installed here, or in an image that builds on this one
# (`uv tool install`). Caches are in /tmp, since the root file system is read-only. Tool servers get a clean environment, so that
# this stands in files. tests/tests/it/supply_chain.rs does the same outside a container; the version is the one of
# libs/catalog/src/builtin/tarsy.yaml.
WORKDIR /opt/mcp-servers
COPY deploy/mcp-servers/package.json deploy/mcp-servers/package-lock.json deploy/mcp-servers/requirements.txt ./
RUN npm ci --ignore-scripts --omit=dev --no-audit --no-fund \
 && rm -rf /root/.npm \
 && python3 -m venv /opt/uv && /opt/uv/bin/pip install --no-cache-dir --no-deps --require-hashes -r requirements.txt \
 && ln -s /opt/uv/bin/uv /opt/uv/bin/uvx /usr/local/bin/ \
 && mkdir -p /usr/local/etc /etc/uv \
 && printf 'offline=true\nupdate-notifier=false\ncache=/tmp/npm\n' > /usr/local/etc/npmrc \
 && printf 'offline = true\ncache-dir = "/tmp/uv"\npython-downloads = "never"\n' > /etc/uv/uv.toml
COPY --from=parts /programs/tarsy-mcp-gateway /programs/tarsy-host-inspector /programs/tarsy /usr/local/bin/
COPY deploy/images/healthcheck /usr/local/bin/
COPY deploy/config /etc/tarsy
USER 1000:0
ENV HOME=/tmp
RUN npx -y kubernetes-mcp-server@0.0.66 --version && rm -rf /tmp/npm
ENV TARSY_CONFIG_DIR=/etc/tarsy \
    TARSY_HTTP_ADDR=0.0.0.0:8080 \
    TARSY_ADMIN_ADDR=0.0.0.0:9090
EXPOSE 8080 9090
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["healthcheck"]
# tini reaps orphaned processes of tool servers, and passes SIGTERM on.
ENTRYPOINT ["tini", "--"]
CMD ["tarsy-mcp-gateway"]

FROM ${RUNTIME_BASE} AS tarsy
LABEL org.opencontainers.image.title="TARSy" \
      org.opencontainers.image.description="The Rust services of TARSy, its command line and its dashboard" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates tini tzdata \
 && rm -rf /var/lib/apt/lists/*
COPY --from=parts /programs/ /usr/local/bin/
COPY --from=parts /dashboard/ /usr/share/tarsy/dashboard/
COPY deploy/images/healthcheck /usr/local/bin/
COPY deploy/config /etc/tarsy
USER 1000:0
# An unknown variable that begins with TARSY_ stops the start.
ENV HOME=/tmp \
    TARSY_CONFIG_DIR=/etc/tarsy \
    TARSY_DASHBOARD_DIR=/usr/share/tarsy/dashboard \
    TARSY_HTTP_ADDR=0.0.0.0:8080 \
    TARSY_ADMIN_ADDR=0.0.0.0:9090
EXPOSE 8080 9090
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["healthcheck"]
ENTRYPOINT ["tini", "--"]
CMD ["tarsy-api-gateway"]
