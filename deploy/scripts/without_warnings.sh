#!/usr/bin/env bash
# Runs a quiet build of cargo, and fails if it says anything: cargo repeats the warnings of what it does not compile again.
#
#   without_warnings.sh COMMAND...
set -euo pipefail
clippy-driver --version >/dev/null 2>&1 || { printf 'clippy is missing: rustup component add clippy\n' >&2; exit 1; }
status=0
printed=$("$@" 2>&1) || status=$?
[ -z "$printed" ] || printf '%s\n' "$printed" >&2
[ "$status" = 0 ] && [ -z "$printed" ] || exit 1
