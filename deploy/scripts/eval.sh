#!/usr/bin/env bash
# eval.sh PROGRAM CASES PROVIDER RUNS: starts a TARSy in a folder of its own, runs the cases, and stops it.
set -euo pipefail

program=$1 cases=$2 provider=$3 runs=$4
home=$(mktemp -d)
start_seconds=120

"$program" --home "$home" up --port 0 > "$home.log" 2>&1 &
tarsy=$!
stop() {
    kill -INT "$tarsy" 2> /dev/null || true
    wait "$tarsy" || true
    rm -rf "$home" "$home.log"
}
trap stop EXIT

for _ in $(seq "$start_seconds"); do
    [ -e "$home/run.json" ] && break
    if ! kill -0 "$tarsy" 2> /dev/null; then
        cat "$home.log" >&2
        exit 1
    fi
    sleep 1
done
[ -e "$home/run.json" ] || { echo "TARSy did not start within $start_seconds s" >&2; exit 1; }
"$program" --home "$home" eval "$cases" --provider "$provider" --runs "$runs" --out .tarsy/eval
