#!/usr/bin/env bash
# Builds the images with buildah, without a container engine, and starts everything from them.
#
#   images.sh build   BASES=debian (default) makes the bases by debootstrap, and puts programs of this checkout into the images (PROFILE
#                     release, or debug); BASES=registry takes the bases of the Dockerfiles, and compiles in the build
#   images.sh test    starts every service from the images of `build`, and PostgreSQL and NATS from images that it makes, each under a
#                     user of its own and with a read-only root file system, and investigates the example alert
#
# Needs root, buildah and debootstrap: apt-get install buildah debootstrap.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bases=${BASES:-debian}
profile=${PROFILE:-release}
work=$PWD/.tarsy/images
# The sets of layers beside those of the machine's own engine.
store=(--root "$work/store" --runroot "$work/run")
release=bookworm

info() { printf '── %s\n' "$*"; }
fail() { printf 'images: %s\n' "$*" >&2; exit 1; }
# A name of its own: a function called buildah would hide that the program is missing.
run_buildah() { buildah "${store[@]}" "$@"; }
has_image() { run_buildah inspect --type image "$1" >/dev/null 2>&1; }

# The smallest Debian, with the authorities that this machine trusts.
plain_base() {
  local folder=$work/rootfs container
  has_image localhost/tarsy-base-plain && return
  info "base plain by debootstrap"
  rm -rf "$folder" && mkdir -p "$folder"
  debootstrap --variant=minbase --include=ca-certificates "$release" "$folder" http://deb.debian.org/debian >"$work/plain.log"
  cp -L /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs/ca-certificates.crt"
  printf '[global]\ncert = /etc/ssl/certs/ca-certificates.crt\n' >"$folder/etc/pip.conf"
  rm -rf "$folder"/var/cache/apt/archives/*.deb "$folder"/var/lib/apt/lists/*
  container=$(run_buildah from scratch)
  run_buildah copy -q "$container" "$folder" / >/dev/null
  run_buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  commit "$container" plain
  rm -rf "$folder"
}

python_base() {
  local container
  has_image localhost/tarsy-base-python && return
  info "base python"
  container=$(run_buildah from --pull-never localhost/tarsy-base-plain)
  run_buildah run --isolation chroot "$container" sh -c \
    'apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*' >"$work/python.log" 2>&1
  commit "$container" python
}

# node and npm of this machine: Debian's are older than those of the registry's base.
node_base() {
  local container root
  has_image localhost/tarsy-base-node && return
  info "base node"
  container=$(run_buildah from --pull-never localhost/tarsy-base-plain)
  root=$(run_buildah mount "$container")
  cp "$(command -v node)" "$root/usr/local/bin/node"
  mkdir -p "$root/usr/local/lib/node_modules"
  cp -a "$(npm root --global)/npm" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
  run_buildah umount "$container" >/dev/null
  run_buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
  commit "$container" node
}

# PostgreSQL of the release of Debian, the oldest version that TARSY supports, in place of the image of the registry.
postgres_image() {
  local container version
  has_image localhost/tarsy-test-postgres:dev && return
  info "image tarsy-test-postgres"
  container=$(run_buildah from --pull-never localhost/tarsy-base-plain)
  run_buildah run --isolation chroot "$container" sh -c \
    'mkdir -p /etc/postgresql-common && echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf &&
     apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-confold postgresql &&
     mkdir -p /var/lib/postgresql/data && apt-get clean && rm -rf /var/lib/apt/lists/*' >"$work/postgres.log" 2>&1 || { tail -20 "$work/postgres.log" >&2; fail "tarsy-test-postgres was not built"; }
  version=$(ls "$(run_buildah mount "$container")/usr/lib/postgresql")
  run_buildah umount "$container" >/dev/null
  run_buildah config --env "PATH=/usr/lib/postgresql/$version/bin:/usr/bin:/bin" "$container"
  run_buildah commit -q --rm "$container" localhost/tarsy-test-postgres:dev >/dev/null
}

# nats-server of `setup.sh run`, with the configuration of a deployment as it is now.
nats_image() {
  local container nats
  info "image tarsy-test-nats"
  nats=$(find .tarsy/venv -name nats-server -type f | head -1)
  [ -x "$nats" ] || fail "nats-server is missing: deploy/scripts/setup.sh run"
  container=$(run_buildah from --pull-never localhost/tarsy-base-plain)
  run_buildah copy -q "$container" "$nats" /usr/local/bin/nats-server >/dev/null
  run_buildah copy -q "$container" deploy/nats/nats.conf deploy/nats/accounts.conf /etc/nats/ >/dev/null
  run_buildah run --isolation chroot "$container" mkdir /data
  run_buildah commit -q --rm "$container" localhost/tarsy-test-nats:dev >/dev/null
}

commit() { # commit CONTAINER NAME
  run_buildah commit -q "$1" "localhost/tarsy-base-$2" >/dev/null
  run_buildah rm "$1" >/dev/null
}

# The programs of this checkout without debug information, and its dashboard.
stage_build() {
  local folder=.images target=${CARGO_TARGET_DIR:-target}/$profile program
  rm -rf "$folder" && mkdir -p "$folder/bin"
  for program in tarsy tarsy-api-gateway tarsy-orchestrator tarsy-mcp-gateway tarsy-stream-relay tarsy-summarizer tarsy-notifier tarsy-kubernetes-watcher tarsy-host-inspector; do
    [ -x "$target/$program" ] || fail "$target/$program is missing: cargo build --bins$([ "$profile" = release ] && printf ' --release')"
    strip --strip-debug -o "$folder/bin/$program" "$target/$program"
  done
  [ -f dashboard/dist/index.html ] || fail "dashboard/dist is missing: make dashboard"
  cp -r dashboard/dist "$folder/dashboard"
}

build_image() { # build_image NAME DOCKERFILE ARGUMENTS...
  local name=$1 file=$2; shift 2
  info "image $name"
  run_buildah build --isolation chroot --layers --format docker --ignorefile "deploy/images/$file.dockerignore" \
    --label "org.opencontainers.image.revision=$(git rev-parse HEAD)" "$@" \
    --tag "localhost/$name:dev" --file "deploy/images/$file" . >"$work/$name.log" 2>&1 || { tail -30 "$work/$name.log" >&2; fail "$name was not built"; }
}

build() {
  mkdir -p "$work"
  local rust=() python=()
  case "$bases" in
    debian)
      command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"
      plain_base
      node_base
      python_base
      stage_build
      rust=(--build-arg BUILD=prebuilt --build-arg RUNTIME_BASE=localhost/tarsy-base-plain --build-arg NODE_BASE=localhost/tarsy-base-node)
      python=(--build-arg PYTHON_BASE=localhost/tarsy-base-python)
      ;;
    registry) rust=(--build-arg "TARSY_COMMIT=$(git rev-parse --short HEAD)") ;;
    *) fail "BASES is debian or registry" ;;
  esac
  build_image tarsy-llm-service llm-service.Dockerfile "${python[@]}"
  build_image tarsy tarsy.Dockerfile --target tarsy "${rust[@]}"
  build_image tarsy-mcp-gateway tarsy.Dockerfile --target mcp-gateway "${rust[@]}"
  rm -rf .images
  run_buildah images --filter label=org.opencontainers.image.licenses --format '{{.Name}} {{.Digest}} {{.Size}}'
}

case "${1:-}" in
  build | test) ;;
  *) fail "images.sh takes build or test" ;;
esac
[ "$(id -u)" = 0 ] || fail "buildah's isolation chroot needs root"
command -v buildah >/dev/null || fail "buildah is missing: apt-get install buildah"
case "$1" in
  build) build ;;
  test)
    command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"
    plain_base
    postgres_image
    nats_image
    . deploy/scripts/images-test.sh
    ;;
esac
