log=$1
remove=$2
patience=$3
shift 3
exec 3<&0
"$@" </dev/null >>"$log" 2>&1 3<&- &
pid=$!
# An owner that is gone reads nothing; there is work to do all the same.
trap '' PIPE
echo "$pid"
(
  signal() {
    # Without the shell that waits for it, nobody knows whose the pid is: the group goes, and this with it.
    kill -0 $$ || kill -KILL 0
    kill -"$1" "$pid"
  }
  while read -r word <&3; do signal "$word"; done
  signal INT
  sleep "$patience"
  signal KILL
) >/dev/null 2>&1 &
watcher=$!
wait "$pid"
code=$?
# From now on the pid may be another program's.
kill -KILL "$watcher" 2>/dev/null
wait "$watcher" 2>/dev/null
echo "exit $code" 2>/dev/null
exec >/dev/null 2>&1
if [ -n "$remove" ]; then
  while read -r word <&3; do [ "$word" = keep ] && remove=; done
  # What a killed program started may still write there for a moment.
  for again in 1 2 3 4 5; do
    [ -z "$remove" ] || rm -rf "$remove" && break
    sleep 1
  done
fi
kill -KILL 0
