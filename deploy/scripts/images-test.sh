# Read by images.sh: starts every service from the images as a platform would, and investigates the example alert.
#
# Each process has a user of its own that no image knows, group 0, an own namespace of mounts and processes, a read-only root file system,
# and /tmp to write to. PostgreSQL and NATS are those of `setup.sh run`, outside of the images.

folder=$work/test
processes=()
declare -A roots

# The root file system of an image, mounted once.
root_of() { # root_of IMAGE
  if [ -z "${roots[$1]:-}" ]; then
    local container
    container=$(run_buildah from --pull-never "localhost/$1:dev")
    roots[$1]=$(run_buildah mount "$container")
  fi
}

# Variables of an image, one a line.
variables_of() { # variables_of IMAGE
  run_buildah inspect --type image --format '{{range .Docker.Config.Env}}{{println .}}{{end}}' "localhost/$1:dev"
}

# run_in IMAGE USER VARIABLE=VALUE... -- COMMAND...: in the folder and with the variables of the image.
run_in() {
  local image=$1 user=$2 variables directory; shift 2
  mapfile -t variables < <(variables_of "$image")
  directory=$(run_buildah inspect --type image --format '{{.Docker.Config.WorkingDir}}' "localhost/$image:dev")
  while [ "$1" != -- ]; do variables+=("$1"); shift; done
  shift
  local root=${roots[$image]}
  # shellcheck disable=SC2016  # the inner shell expands these
  unshare --mount --pid --fork --kill-child bash -c '
    set -eu
    root=$1 user=$2 directory=$3; shift 3
    mount --make-rprivate /
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
    mount -o remount,bind,ro "$root"
    cd /
    exec chroot --userspec="$user:0" --groups=0 "$root" env -C "$directory" -i "$@"
  ' run "$root" "$user" "${directory:-/}" "${variables[@]}" "$@"
}

# background COMMAND...: as a job with a process group of its own, which `stop_all` ends.
background() {
  set -m
  "$@" &
  processes+=($!)
  set +m
}

# start NAME IMAGE VARIABLE=VALUE... -- COMMAND...: in the background, under a random user, with its output in a file.
start() {
  local name=$1 image=$2 user=$((RANDOM + 100000)); shift 2
  root_of "$image"
  background run_in "$image" "$user" "$@" >"$folder/$name.log" 2>&1
  info "$name runs as user $user"
}

stop_all() {
  local process
  for process in "${processes[@]}"; do kill -- "-$process" 2>/dev/null || true; done
  wait 2>/dev/null || true
  run_buildah rm --all >/dev/null 2>&1 || true
}

# wait_until "what" SECONDS COMMAND...
wait_until() {
  local what=$1 seconds=$2 end; shift 2
  end=$((SECONDS + seconds))
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || { tail -n 20 "$folder"/*.log >&2; fail "$what: not within $seconds s"; }
    sleep 0.5
  done
}

# PostgreSQL refuses to run as root.
as_nobody() { setpriv --reuid nobody --regid nogroup --clear-groups "$@"; }
run_postgres() { cd "$folder/postgres" && as_nobody "$1/postgres" -D data -p 20500 -k "$folder/postgres"; }

start_servers() {
  local postgres nats
  postgres=$(dirname "$(find .tarsy/venv -name initdb -path '*bin*' | head -1)")
  nats=$(find .tarsy/venv -name nats-server -type f | head -1)
  [ -x "$postgres/initdb" ] && [ -x "$nats" ] || fail "PostgreSQL and NATS are missing: deploy/scripts/setup.sh run"
  install -d -o nobody -g nogroup "$folder/postgres"
  (cd "$folder/postgres" && as_nobody "$OLDPWD/$postgres/initdb" -D data -U tarsy -A trust >"$folder/initdb.log")
  background run_postgres "$PWD/$postgres" >"$folder/postgres.log" 2>&1
  background "$nats" -a 127.0.0.1 -p 20422 -js -sd "$folder/nats" >"$folder/nats.log" 2>&1
  wait_until "PostgreSQL" 60 "$postgres/pg_isready" -h 127.0.0.1 -p 20500
  "$postgres/psql" -h 127.0.0.1 -p 20500 -U tarsy -d postgres -qc 'create database tarsy'
}

test_images() {
  rm -rf "$folder" && mkdir -p "$folder" && chmod 755 "$work" "$folder"
  trap stop_all EXIT
  start_servers
  local image
  for image in tarsy tarsy-mcp-gateway tarsy-llm-service; do
    has_image "localhost/$image:dev" || fail "localhost/$image:dev is missing: images.sh build"
    root_of "$image"
  done
  local database=DATABASE_URL=postgres://tarsy@127.0.0.1:20500/tarsy bus=NATS_URL=nats://127.0.0.1:20422
  local llm_token relay_token name
  llm_token=LLM_SERVICE_TOKEN=$(openssl rand -hex 32)
  relay_token=TARSY_RELAY_TOKEN=$(openssl rand -hex 32)
  info "migrate"
  run_in tarsy 123456 "$database" "$bus" -- tini -- tarsy migrate >"$folder/migrate.log" 2>&1 || { cat "$folder/migrate.log" >&2; fail "migrate"; }

  start llm-service tarsy-llm-service "$llm_token" LLM_SERVICE_ADDR=127.0.0.1:20051 LLM_SERVICE_ADMIN_ADDR=127.0.0.1:20100 -- python -m llm_service.main
  local common=("$database" "$bus" "$llm_token" LLM_SERVICE_ADDR=http://127.0.0.1:20051 LOG_LEVEL=info)
  start provisioner tarsy "$bus" TARSY_ADMIN_ADDR=127.0.0.1:20101 -- tini -- tarsy provision
  start stream-relay tarsy "${common[@]}" "$relay_token" TARSY_HTTP_ADDR=127.0.0.1:20081 TARSY_ADMIN_ADDR=127.0.0.1:20102 -- tini -- tarsy-stream-relay
  start api-gateway tarsy "${common[@]}" "$relay_token" TARSY_RELAY_URL=http://127.0.0.1:20081 TARSY_HTTP_ADDR=127.0.0.1:20080 TARSY_ADMIN_ADDR=127.0.0.1:20103 -- tini -- tarsy-api-gateway
  start orchestrator tarsy "${common[@]}" TARSY_ADMIN_ADDR=127.0.0.1:20104 -- tini -- tarsy-orchestrator
  start summarizer tarsy "${common[@]}" TARSY_ADMIN_ADDR=127.0.0.1:20105 -- tini -- tarsy-summarizer
  start notifier tarsy "${common[@]}" TARSY_ADMIN_ADDR=127.0.0.1:20106 -- tini -- tarsy-notifier
  start mcp-gateway tarsy-mcp-gateway "$bus" TARSY_ADMIN_ADDR=127.0.0.1:20107 -- tini -- tarsy-mcp-gateway
  local number=20100
  for name in llm-service provisioner stream-relay api-gateway orchestrator summarizer notifier mcp-gateway; do
    image=tarsy
    case "$name" in llm-service) image=tarsy-llm-service ;; mcp-gateway) image=tarsy-mcp-gateway ;; esac
    wait_until "$name is ready" 120 run_in "$image" 120001 -- healthcheck /readyz "$number"
    number=$((number + 1))
  done
  info "every service is ready"

  if run_in tarsy 120002 -- touch /usr/share/tarsy/written 2>/dev/null; then fail "the root file system can be written to"; fi
  if run_in tarsy 120002 -- node --version >/dev/null 2>&1; then fail "the image of the Rust services has node"; fi
  run_in tarsy-mcp-gateway 120003 -- npx -y "kubernetes-mcp-server@$(npx_version)" --version >"$folder/npx.log" 2>&1 \
    || { cat "$folder/npx.log" >&2; fail "npx does not start the Kubernetes server offline"; }
  run_in tarsy-mcp-gateway 120003 -- uvx --version >/dev/null || fail "uvx does not start"
  info "npx and uvx start offline as users that the image does not know"

  run_in tarsy 120004 TARSY_URL=http://127.0.0.1:20080 -- tarsy submit --example host --follow >"$folder/submit.log" 2>&1 \
    || { tail -20 "$folder/submit.log" >&2; fail "the investigation did not complete"; }
  printf 'investigated from images: %s\n' "$(tail -1 "$folder/submit.log")"
}

npx_version() { python3 -c "import json; print(json.load(open('deploy/mcp-servers/package.json'))['dependencies']['kubernetes-mcp-server'])"; }

test_images
