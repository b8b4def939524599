# Sourced by the soak tests, after tests/e2e/common.sh: a server that is killed and restarted now and then, checks of its
# memory, and checks of its journal at the end.
# shellcheck shell=bash
# shellcheck disable=SC2154 # tests/e2e/common.sh sets port, servers, dir and openseat

minutes=${OPENSEAT_SOAK_MINUTES:-10}
most_memory=${OPENSEAT_SOAK_MEGABYTES:-256} # of the server, at any time
kills=0 highest=0 life=0 early=0
started=$SECONDS
next_kill=0
arguments=()

time_is_up() { ((SECONDS - started >= minutes * 60)); }

serve() {  # serve ARGUMENTS…: starts the server, and remembers the arguments
  arguments=("$@")
  start_as server 127.0.0.1:0 "$@"
  life=$SECONDS early=0
  next_kill=$((SECONDS + 45 + RANDOM % 45))
}
kill_and_restart() {
  stop_as server KILL
  sleep "0.$((RANDOM % 9 + 1))"
  start_as server "127.0.0.1:$port" "${arguments[@]}"
  kills=$((kills + 1)) life=$SECONDS early=0
  next_kill=$((SECONDS + 45 + RANDOM % 45))
}
megabytes() { awk '/^VmRSS/ {print int($2 / 1024)}' "/proc/${servers[server]}/status"; }
# Checks the server once; kills it when its time has come. Its memory may grow in its first half minute; after that it has
# seen all kinds of load.
look() {
  local now
  kill -0 "${servers[server]}" 2>/dev/null || fail "the server died by itself"
  now=$(megabytes)
  ((now <= highest)) || highest=$now
  ((now <= most_memory)) || fail "the server takes $now MB"
  if ((early == 0 && SECONDS - life >= 30)); then early=$now; fi
  ((early == 0 || now <= early * 3 / 2 + 48)) || fail "the server's memory grew from $early to $now MB in $((SECONDS - life)) s"
  if ((SECONDS >= next_kill)); then kill_and_restart; fi
}
# watch FUNCTION: checks the server and calls FUNCTION every second until the time is up; prints the progress.
watch() {
  local said=$SECONDS
  until time_is_up; do
    sleep 1
    look
    "$1"
    if ((SECONDS - said >= 30)); then
      said=$SECONDS
      echo "$((SECONDS - started)) of $((minutes * 60)) s: $(megabytes) MB, highest $highest MB, $kills kills"
    fi
  done
}
# Checks the newest thousand tables of the journal: no number is missing, and the only diagnostics are those of connections
# that end, of good practice, and of our demo games, several of which play at once.
check_journal() {
  local expected='prot/close/abnormal|prot/schema/additionalProperties|prot/actions/collision|perf/.*' table tables=0 events=0 count keys odd
  : >"$dir/keys"
  while read -r table; do
    "$openseat" replay "$table" --as all --data-dir "$dir/server" --json --max-text 0 >"$dir/table" 2>"$dir/error" ||
      "$openseat" replay "$table" --data-dir "$dir/server" --json --max-text 0 >"$dir/table" || fail "no record of $table"
    count=$(awk -F'[:,]' '{ if ($2 != NR) { print "gap"; exit } } END { print NR }' "$dir/table" | head -1)
    [ "$count" != gap ] || fail "the record of $table has a gap"
    tables=$((tables + 1)) events=$((events + count))
    grep '"kind":"diagnostic"' "$dir/table" | grep -oE '"key":"[^"]*"' >>"$dir/keys" || true
  done < <("$openseat" replay --json --data-dir "$dir/server" | grep -oE '^\{"id":"[^"]*"' | cut -d'"' -f4)
  keys=$(sort "$dir/keys" | uniq -c)
  odd=$(grep -vE "\"key\":\"($expected)\"" <<<"$keys" | grep key || true)
  echo "journal: $tables tables, $events events, no gap; diagnostics:"
  echo "${keys:-  none}"
  [ -z "$odd" ] || fail "odd: $odd"
}
