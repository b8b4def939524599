#!/usr/bin/env bash
# The real program from outside: a server, a game that connects, and what is left when the server is killed.
# usage: neuro.sh OPENSEAT
set -euo pipefail

openseat=$1
dir=$(mktemp -d)
server=0
cleanup() {
  [ "$server" = 0 ] || kill -9 "$server" 2>/dev/null || true
  rm -rf "$dir"
}
trap cleanup EXIT

fail() {
  echo "FAILED: $*"
  [ ! -f "$dir/log" ] || tail -20 "$dir/log"
  exit 1
}
expect() {  # expect WHAT TEXT PATTERN
  grep -qE -- "$3" <<<"$2" || fail "$1: expected /$3/ in: $2"
}
refuse() {  # refuse WHAT TEXT PATTERN
  ! grep -qE -- "$3" <<<"$2" || fail "$1: did not expect /$3/ in: $2"
}
exits() {  # exits CODE COMMAND…: its output, if it exits so
  local code=$1 output got=0
  shift
  output=$("$@" 2>&1) || got=$?
  [ "$got" = "$code" ] || fail "$* exited with $got, not $code: $output"
  echo "$output"
}
start() {  # start ARGUMENTS…: a server on a port of its own choice; sets port and server
  # A file, not a pipe: the server outlives the reading of its first line.
  : >"$dir/out"
  "$openseat" serve --listen 127.0.0.1:0 --data-dir "$dir/data" "$@" >"$dir/out" 2>"$dir/log" &
  server=$!
  local tries=0
  until port=$(sed -nE 's|^Openseat .* http://127\.0\.0\.1:([0-9]+)$|\1|p' "$dir/out") && [ -n "$port" ]; do
    kill -0 "$server" 2>/dev/null || fail "the server did not start"
    tries=$((tries + 1))
    [ "$tries" -lt 200 ] || fail "the server said nothing"
    sleep 0.05
  done
}
stop() {  # stop SIGNAL
  kill "-$1" "$server"
  wait "$server" 2>/dev/null || true
  server=0
}
http() {  # http METHOD PATH [BODY] [HEADER]: the answer, headers and all
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf '%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Length: %d\r\n%s\r\n%s' \
    "$1" "$2" "${5:-127.0.0.1:$port}" "${#3}" "${4:+$4$'\r\n'}" "${3:-}" >&3
  cat <&3
  exec 3>&-
}

# A game is played to its end, again and again, and nothing about it is odd.
start --agent random:seed=5
url=ws://127.0.0.1:$port
played=$(exits 0 "$openseat" demo tictactoe --url "$url" --games 200 --pace 0 --quiet)
expect "the demo's totals" "$played" '^200 games: .* 0 refused$'
table=$(http GET /api/v1/tables "" | grep -oE '"id":"tic-tac-toe-[a-z0-9]+"' | head -1 | cut -d'"' -f4)
[ -n "$table" ] || fail "the table is not listed"
found=$(http GET "/api/v1/tables/$table/diagnostics" "")
expect "diagnostics" "$found" '"diagnostics":\['
refuse "diagnostics" "$found" '"severity":"(warn|error)"'
expect "a transcript" "$(http GET "/api/v1/tables/$table/transcript?limit=3" "")" '"kind":"opened"'

# The console answers nonsense with what was expected.
expect "an unknown table" "$(http GET /api/v1/tables/none "")" '404 .*'
expect "a wrong method" "$(http DELETE /api/v1/tables "")" '405 '
expect "a wrong body" "$(http POST "/api/v1/tables/$table/seats/0/choose" '[]')" 'must be a JSON object'
expect "an unknown agent" "$(http POST "/api/v1/tables/$table/seats/0/agent" '{"kind":"robot"}')" 'no agent'
expect "a file over the API" "$(http POST "/api/v1/tables/$table/seats/0/agent" '{"kind":"script","file":"/etc/passwd"}')" '403 '
expect "another agent" "$(http POST "/api/v1/tables/$table/seats/0/agent" '{"kind":"random","seed":1}')" '"agent":"random"'
expect "another site's page" "$(http POST "/api/v1/tables/$table/control" '{"command":"disconnect"}' 'Origin: http://evil.example')" '403 '
expect "a rebound name" "$(http GET /api/v1/tables "" "" evil.example)" '403 '
expect "health" "$(http GET /healthz "")" '200 OK'
expect "metrics" "$(http GET /metrics "")" 'openseat_'

# Only one server may have the port, and only one the data.
expect "the port in use" "$(exits 2 "$openseat" serve --listen "127.0.0.1:$port" --data-dir "$dir/other")" 'uses this port'
expect "the data in use" "$(exits 2 "$openseat" serve --listen 127.0.0.1:0 --data-dir "$dir/data")" 'openseat.db'

# Killed in the middle of a game, the server has recorded what it said, and starts again on the same data.
"$openseat" demo tictactoe --url "$url" --games 0 --pace 0 --quiet >/dev/null 2>&1 &
demo=$!
tries=0
until [ "$("$openseat" replay --data-dir "$dir/data" --json | grep -oE '"events":[0-9]+' | head -1 | cut -d: -f2)" -gt 8000 ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 200 ] || fail "the second demo is not recorded"
  sleep 0.05
done
stop KILL
wait "$demo" && fail "the demo did not notice that the server was gone"
replayed=$(exits 0 "$openseat" replay "$table" --data-dir "$dir/data" --json)
[ "$(wc -l <<<"$replayed")" -gt 8000 ] || fail "the recording is too short"
seqs=$(grep -oE '^\{"seq":[0-9]+' <<<"$replayed" | cut -d: -f2)
[ "$seqs" = "$(seq 1 "$(wc -l <<<"$seqs")")" ] || fail "the recording has gaps"

# A script plays what it says.
echo '{"steps": [{"action": "move", "data": {"position": [1, 1]}}], "otherwise": "random"}' >"$dir/script.json"
start --agent script:"$dir/script.json"
exits 0 "$openseat" demo tictactoe --url "ws://127.0.0.1:$port" --games 3 --pace 0 --seed 1 --quiet >/dev/null
table=$("$openseat" replay --data-dir "$dir/data" | head -1 | cut -d' ' -f3)
lines=$(exits 0 "$openseat" replay "$table" --data-dir "$dir/data")
expect "the scripted move" "$lines" 'choice  move \{"position":\[1,1\]\} \(by script\)'
stop TERM
expect "the end of the log" "$(tail -1 "$dir/log")" 'stopped'
expect "the closed table" "$("$openseat" replay "$table" --data-dir "$dir/data" | tail -1)" 'table   closed'

# Wrong usage is said, and is exit code 2.
expect "no command" "$(exits 2 "$openseat")" 'subcommand'
expect "an unknown command" "$(exits 2 "$openseat" frobnicate)" 'help'
expect "an unknown flag" "$(exits 2 "$openseat" serve --frobnicate)" 'frobnicate'
expect "an unknown agent" "$(exits 2 "$openseat" serve --agent robot --data-dir "$dir/data")" 'no agent "robot"'
expect "a bad address" "$(exits 2 "$openseat" serve --listen nowhere)" 'HOST:PORT'
expect "an open address" "$(exits 2 "$openseat" serve --listen 0.0.0.0:0 --data-dir "$dir/data")" 'insecure'
expect "a missing config" "$(exits 2 "$openseat" serve --config "$dir/none.toml")" 'none.toml'
expect "an unknown game" "$(exits 2 "$openseat" demo poker)" 'tictactoe'
expect "an unknown table" "$(exits 2 "$openseat" replay none --data-dir "$dir/data")" 'none'
expect "no server" "$(exits 1 "$openseat" demo --url ws://127.0.0.1:1)" 'cannot connect'
for command in serve replay demo "bench neuro"; do
  # shellcheck disable=SC2086  # "bench neuro" is two words
  expect "help of $command" "$(exits 0 "$openseat" $command --help)" 'Examples:'
done
refuse "crashes" "$(cat "$dir/log")" 'broken invariant'
echo "everything as expected"
