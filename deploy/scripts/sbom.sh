#!/usr/bin/env bash
# Writes the software bills of materials (CycloneDX) of what TARSy ships into sbom/, from the lock files alone.
#
#   sbom.sh [FOLDER]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=${1:-sbom}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
programs=$PWD/.tarsy/venv-audit/bin
# The embedded servers have no root component, which cyclonedx-py warns of.
export PYTHONWARNINGS=ignore

# write NAME COMMAND...: the output of the command is the document; a command that fails leaves none.
write() {
  local name=$1; shift
  "$@" >"$folder/$name.tmp" || { rm -f "$folder/$name.tmp"; printf 'sbom: %s could not be made\n' "$name" >&2; exit 1; }
  mv "$folder/$name.tmp" "$folder/$name.cdx.json"
  printf '%s\n' "$folder/$name.cdx.json"
}

npm_sbom() { (cd "$1" && npm sbom --sbom-format cyclonedx --package-lock-only --loglevel=error); }

write rust "$programs/python" deploy/scripts/rust_sbom.py
write dashboard npm_sbom dashboard
write mcp-servers npm_sbom deploy/mcp-servers
write llm-service "$programs/cyclonedx-py" requirements --output-reproducible --of JSON --pyproject llm-service/pyproject.toml llm-service/requirements.txt
write embedded "$programs/cyclonedx-py" requirements --output-reproducible --of JSON deploy/embedded/requirements.txt
