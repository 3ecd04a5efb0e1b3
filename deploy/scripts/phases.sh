#!/usr/bin/env bash
# Says where the time of a run went.
#
#   phases.sh begin RUN                begins a run
#   phases.sh time RUN NAME COMMAND... runs a command as a phase of it
#   phases.sh end RUN                  prints the minutes of each phase
set -euo pipefail
case "${BASH_SOURCE[0]}" in */*) cd "${BASH_SOURCE[0]%/*}/../.." ;; *) cd ../.. ;; esac
verb=$1 run=$2
shift 2
log=.tarsy/phases-$run

case "$verb" in
  begin)
    mkdir -p .tarsy
    : >"$log"
    ;;
  time)
    name=$1
    shift
    begun=$SECONDS
    status=0
    "$@" || status=$?
    printf '%s\t%s\n' "$((SECONDS - begun))" "$name" >>"$log"
    exit "$status"
    ;;
  end)
    awk -F'\t' '{ printf "%6.1f min  %s\n", $1 / 60, $2; all += $1 } END { printf "%6.1f min  in all\n", all / 60 }' "$log"
    ;;
  *)
    printf 'phases.sh takes begin, time or end\n' >&2
    exit 1
    ;;
esac
