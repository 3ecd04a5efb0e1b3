#!/bin/sh
# TARSy in containers, by Docker or podman:
#
#   compose/start.sh                                    # builds and starts everything
#   compose/start.sh exec api-gateway tarsy open        # any other command of Compose
#
# The first time it writes compose/.env with passwords of its own, which nobody else may read.
set -eu
cd "$(dirname "$0")"

engine=
for one in docker podman; do
  if "$one" compose version >/dev/null 2>&1; then
    engine=$one
    break
  fi
done
if [ -z "$engine" ]; then
  echo "neither docker compose nor podman compose is here: install Docker, or podman with a provider of Compose" >&2
  exit 1
fi

if [ ! -e .env ]; then
  umask 077
  while IFS= read -r line; do
    case $line in
      SLACK_*) echo "$line" ;;
      *PASSWORD= | *TOKEN=) echo "$line$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')" ;;
      *) echo "$line" ;;
    esac
  done <.env.example >.env.new
  mv .env.new .env
fi

[ $# -gt 0 ] || set -- up --build --detach --wait
exec "$engine" compose -f compose.yaml "$@"
