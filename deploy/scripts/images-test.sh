# Read by images.sh: starts every service from the images as a platform would, and investigates the example alert.
#
# Each process has a user of its own that no image knows, group 0, an own namespace of mounts and processes, a read-only root file system,
# and /tmp to write to. PostgreSQL and NATS, in images of the test, have a volume each, and PostgreSQL the user of its package, without
# which it does not start. Image, command and environment of every service, with its user of NATS, are those of compose/compose.yaml.

folder=$work/test
processes=()
declare -A roots
# The volume of an image: FOLDER:PATH.
declare -A volumes
# The user of an image, if it is not any.
declare -A users=([tarsy-test-postgres]=postgres)

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
    root=$1 user=$2 directory=$3 volume=$4; shift 4
    mount --make-rprivate /
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
    [ -z "$volume" ] || mount --bind "${volume%%:*}" "$root${volume#*:}"
    mount -o remount,bind,ro "$root"
    cd /
    exec chroot --userspec="$user:0" --groups=0 "$root" env -C "$directory" -i "$@"
  ' run "$root" "$user" "${directory:-/}" "${volumes[$image]:-}" "${variables[@]}" "$@"
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
  local name=$1 image=$2 user=${users[$2]:-$((RANDOM + 100000))}; shift 2
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

# in_postgres COMMAND...: in the image of PostgreSQL, as its user.
in_postgres() { run_in tarsy-test-postgres postgres -- "$@"; }

# Every variable that compose.yaml demands, with a value of its own; none of a vendor's key is set.
passwords() {
  local name
  for name in $(sed -nE 's/^([A-Z_]+_PASSWORD|LLM_SERVICE_TOKEN|TARSY_RELAY_TOKEN|TARSY_MCP_SERVER_TOKEN|TARSY_LOCAL_TOKEN)=.*/\1/p' compose/.env.example); do
    printf '%s=p%s\n' "$name" "$(openssl rand -hex 24)"
  done
}

# of_compose SERVICE PART: the lines of a part into `found`.
of_compose() { mapfile -t found < <(python3 deploy/scripts/compose_service.py "$folder/compose.json" "$1" "$2"); }

# start_service NAME ADMIN_PORT VARIABLE=VALUE...: with the image, command and environment of compose.yaml, on a port of this machine.
start_service() {
  local name=$1 admin=$2 image command found; shift 2
  of_compose "$name" image; image=${found[0]}
  of_compose "$name" command; command=("${found[@]}")
  [ "$image" != tarsy-llm-service ] || command=(python -m llm_service.main)
  of_compose "$name" environment
  images[$name]=$image admins[$name]=$admin
  if [ "$image" = tarsy-llm-service ]; then
    start "$name" "$image" "${found[@]}" "LLM_SERVICE_ADMIN_ADDR=127.0.0.1:$admin" "$@" -- "${command[@]}"
  else
    start "$name" "$image" "${found[@]}" "TARSY_ADMIN_ADDR=127.0.0.1:$admin" "$@" -- tini -- "${command[@]}"
  fi
}

start_servers() {
  local found command
  volumes[tarsy-test-postgres]=$folder/postgres:/var/lib/postgresql/data
  volumes[tarsy-test-nats]=$folder/nats:/data
  # The group of every process.
  install -d -m 770 -g root "$folder/postgres" "$folder/nats"
  in_postgres initdb -D /var/lib/postgresql/data/tarsy -E UTF8 --locale=C.UTF-8 -U postgres --auth-local=trust --auth-host=trust >"$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log" >&2; fail "initdb"; }
  start postgres tarsy-test-postgres -- postgres -D /var/lib/postgresql/data/tarsy -h 127.0.0.1 -p 20500 -k /tmp
  of_compose nats command; command=("${found[@]}")
  of_compose nats environment
  start nats tarsy-test-nats "${found[@]}" -- nats-server "${command[@]}" -a 127.0.0.1 -p 20422 -m 20423
  wait_until "PostgreSQL" 60 in_postgres pg_isready -h 127.0.0.1 -p 20500
  in_postgres psql -h 127.0.0.1 -p 20500 -U postgres -d postgres -qc 'create database tarsy'
}

# What each image has and says, for the pods of the chart. The name of NATS is that of its own image, which begins with its server.
describe_images() {
  local image
  for image in tarsy tarsy-mcp-gateway tarsy-llm-service tarsy-test-nats; do
    run_buildah inspect --type image "localhost/$image:dev" >"$folder/$image.json"
    printf '%s=%s\n' "$image" "${roots[$image]}"
  done | python3 -c '
import json, pathlib, sys
folder, found = pathlib.Path(sys.argv[1]), {}
for line in sys.stdin:
    name, _, root = line.strip().partition("=")
    found[name] = {**json.loads((folder / f"{name}.json").read_text())["Docker"]["config"], "root": root}
nats = found.pop("tarsy-test-nats")
print(json.dumps(found | {"nats": nats | {"Entrypoint": ["nats-server"]}}))' "$folder"
}

# The pods of the chart, as the API server has them; another migration and another image must be noticed.
test_pods() {
  local program=.tarsy/tools/bin/control-plane
  [ -x "$program" ] || fail "$program is missing: deploy/scripts/setup.sh deploy"
  describe_images >"$folder/images.json"
  info "pods of the chart"
  (cd deploy/tests && TARSY_TEST_IMAGES="$folder/images.json" ../../.tarsy/venv-deploy/bin/python -m pytest -q test_pods.py) || fail "a pod of the chart does not run"
}

test_images() {
  rm -rf "$folder" && mkdir -p "$folder" && chmod 755 "$work" "$folder"
  trap stop_all EXIT
  local image found name
  declare -A images admins
  for image in tarsy tarsy-mcp-gateway tarsy-llm-service tarsy-test-postgres tarsy-test-nats; do
    has_image "localhost/$image:dev" || fail "localhost/$image:dev is missing: images.sh build"
    root_of "$image"
  done
  [ -x .tarsy/compose/docker-compose ] || fail "docker-compose is missing: deploy/scripts/setup.sh deploy"
  passwords >"$folder/passwords"
  .tarsy/compose/docker-compose -f compose/compose.yaml --env-file "$folder/passwords" config --format json >"$folder/compose.json"
  start_servers
  info "roles"
  of_compose roles environment
  run_in tarsy-test-postgres postgres "${found[@]}" PGHOST=127.0.0.1 PGPORT=20500 -- psql --no-psqlrc --quiet --file - \
    <deploy/postgres/logins.sql >"$folder/roles.log" 2>&1 || { cat "$folder/roles.log" >&2; fail "roles"; }
  info "migrate"
  of_compose migrate environment
  run_in tarsy 123456 "${found[@]}" -- tini -- tarsy migrate --roles >"$folder/migrate.log" 2>&1 || { cat "$folder/migrate.log" >&2; fail "migrate"; }

  start_service llm-service 20100 LLM_SERVICE_ADDR=127.0.0.1:20051
  start_service provisioner 20101
  start_service stream-relay 20102 TARSY_HTTP_ADDR=127.0.0.1:20081
  start_service api-gateway 20103 TARSY_HTTP_ADDR=127.0.0.1:20080
  start_service orchestrator 20104
  start_service summarizer 20105
  start_service notifier 20106
  start_service tool-servers 20108 TARSY_HTTP_ADDR=127.0.0.1:20082
  start_service mcp-gateway 20107 TARSY_HTTP_ADDR=127.0.0.1:20083
  for name in "${!images[@]}"; do
    wait_until "$name is ready" 120 run_in "${images[$name]}" 120001 -- healthcheck /readyz "${admins[$name]}"
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
  of_compose api-gateway environment
  found+=("DATABASE_URL=postgres://tarsy_cli:$(sed -n 's/^POSTGRES_CLI_PASSWORD=//p' "$folder/passwords")@127.0.0.1:20500/tarsy")
  run_in tarsy 120005 "${found[@]}" -- tarsy doctor --cluster >"$folder/doctor.log" 2>&1 || { cat "$folder/doctor.log" >&2; fail "the doctor found a failure"; }
  sed 's/^/   /' "$folder/doctor.log"
  printf 'investigated from images: %s\n' "$(tail -1 "$folder/submit.log")"
  test_pods
}

npx_version() { python3 -c "import json; print(json.load(open('deploy/mcp-servers/package.json'))['dependencies']['kubernetes-mcp-server'])"; }

test_images
