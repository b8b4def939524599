#!/usr/bin/env bash
# End-to-end: a server, a game that connects, and what is left when the server is killed.
# usage: neuro.sh OPENSEAT
set -euo pipefail
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# A game is played to its end, again and again, without any diagnostic.
start_as data 127.0.0.1:0 --chimera-listen none --agent random:seed=5
url=ws://127.0.0.1:$port
played=$(exits 0 "$openseat" demo tictactoe --url "$url" --games 200 --pace 0 --quiet)
expect "the demo's totals" "$played" '^200 games: .* 0 refused$'
table=$(http GET /api/v1/tables "" | grep -oE '"id":"tic-tac-toe-[a-z0-9]+"' | head -1 | cut -d'"' -f4)
[ -n "$table" ] || fail "the table is not listed"
found=$(http GET "/api/v1/tables/$table/diagnostics" "")
expect "diagnostics" "$found" '"diagnostics":\['
refuse "diagnostics" "$found" '"severity":"(warn|error)"'
expect "a transcript" "$(http GET "/api/v1/tables/$table/transcript?limit=3" "")" '"kind":"opened"'

# The console answers nonsense by saying what it expected.
expect "an unknown table" "$(http GET /api/v1/tables/none "")" '404 .*'
expect "a half-hearted flag" "$(http GET "/api/v1/tables?recorded=maybe" "")" 'recorded must be true or false; got \\"maybe\\"'
expect "findings since when" "$(http GET "/api/v1/tables/$table/diagnostics?since=x" "")" 'since must be a whole number'
expect "no such profile" "$(http POST "/api/v1/tables/$table/control" '{"command":"profile","profile":"wild"}')" 'document, production or chaos'
expect "a wrong method" "$(http DELETE /api/v1/tables "")" '405 '
expect "a wrong body" "$(http POST "/api/v1/tables/$table/seats/0/choose" '[]')" 'must be a JSON object'
expect "an unknown agent" "$(http POST "/api/v1/tables/$table/seats/0/agent" '{"kind":"robot"}')" 'no agent'
expect "a file over the API" "$(http POST "/api/v1/tables/$table/seats/0/agent" '{"kind":"script","file":"/etc/passwd"}')" '403 '
expect "another agent" "$(http POST "/api/v1/tables/$table/seats/0/agent" '{"kind":"random","seed":1}')" '"agent":"random"'
expect "another site's page" "$(http POST "/api/v1/tables/$table/control" '{"command":"disconnect"}' 'Origin: http://evil.example')" '403 '
expect "a rebound name" "$(http GET /api/v1/tables "" "" evil.example)" '403 '
expect "health" "$(http GET /healthz "")" '200 OK'
expect "metrics" "$(http GET /metrics "")" 'openseat_'

# Only one server can have the port, and only one the data.
expect "the port in use" "$(exits 2 "$openseat" serve --listen "127.0.0.1:$port" --data-dir "$dir/other")" 'uses this port'
expect "the data in use" "$(exits 2 "$openseat" serve --listen 127.0.0.1:0 --data-dir "$dir/data")" 'openseat.db'

# A server that is killed in the middle of a game has recorded its messages, and starts again on the same data.
"$openseat" demo tictactoe --url "$url" --games 0 --pace 0 --quiet >/dev/null 2>&1 &
demo=$!
tries=0
until [ "$("$openseat" replay --data-dir "$dir/data" --json | grep -oE '"events":[0-9]+' | head -1 | cut -d: -f2)" -gt 8000 ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 200 ] || fail "the second demo is not recorded"
  sleep 0.05
done
stop_as data KILL
wait "$demo" && fail "the demo did not notice that the server was gone"
replayed=$(exits 0 "$openseat" replay "$table" --data-dir "$dir/data" --json)
[ "$(wc -l <<<"$replayed")" -gt 8000 ] || fail "the recording is too short"
seqs=$(grep -oE '^\{"seq":[0-9]+' <<<"$replayed" | cut -d: -f2)
[ "$seqs" = "$(seq 1 "$(wc -l <<<"$seqs")")" ] || fail "the recording has gaps"

# The table of the past has its page, and its findings.
start_as data 127.0.0.1:0 --chimera-listen none --profile chaos --profile-seed 7
expect "the recorded table" "$(http GET "/api/v1/tables/$table" "")" '"status":"recorded".*"protocol":"neuro"'
expect "its findings" "$(http GET "/api/v1/tables/$table/diagnostics?since=0" "")" '"diagnostics":\['
# The profile is switched while a game runs; the next start of the game is another run.
"$openseat" demo tictactoe --url "ws://127.0.0.1:$port" --games 20 --pace 0 --quiet >/dev/null &
demo=$!
listed() {
  played=$(http GET /api/v1/tables "" | grep -oE '"id":"tic-tac-toe-[a-z0-9]+"' | head -1 | cut -d'"' -f4)
  [ -n "$played" ]
}
wait_until "the game is listed" listed
expect "the profile" "$(http GET "/api/v1/tables/$played" "")" '"profile":\{"name":"chaos","seed":7\}'
expect "another profile" "$(http POST "/api/v1/tables/$played/control" '{"command":"profile","profile":"document"}')" '"profile":"document"'
wait "$demo" || fail "the demo did not finish"
refuse "blame" "$(http GET "/api/v1/tables/$played/diagnostics" "")" '"severity":"error"'
exits 0 "$openseat" demo tictactoe --url "ws://127.0.0.1:$port" --games 1 --pace 0 --quiet >/dev/null
expect "a second run" "$(http GET "/api/v1/tables/$played" "")" '"run":\{"number":2'
expect "figures" "$(http GET /metrics "")" 'openseat_neuro_results_total\{outcome="accepted"\} [1-9]'
stop_as data TERM

# A script plays its actions.
echo '{"steps": [{"action": "move", "data": {"position": [1, 1]}}], "otherwise": "random"}' >"$dir/script.json"
start_as data 127.0.0.1:0 --chimera-listen none --agent script:"$dir/script.json"
exits 0 "$openseat" demo tictactoe --url "ws://127.0.0.1:$port" --games 3 --pace 0 --seed 1 --quiet >/dev/null
# Its recording may come a moment later, and the table of the game before may be listed first.
before=$table
tries=0
until table=$("$openseat" replay --data-dir "$dir/data" | cut -d' ' -f3 | grep -vxF "$before" | head -1) &&
  lines=$("$openseat" replay "$table" --data-dir "$dir/data") && [[ $lines == *"(by script)"* ]]; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || fail "the scripted game is not recorded"
  sleep 0.05
done
expect "the scripted move" "$lines" 'choice  move \{"position":\[1,1\]\} \(by script\)'
stop_as data TERM
expect "the end of the log" "$(tail -1 "$dir/data.log")" 'stopped'
expect "the closed table" "$("$openseat" replay "$table" --data-dir "$dir/data" | tail -1)" 'table   closed'

# Wrong usage is reported, with exit code 2.
expect "no command" "$(exits 2 "$openseat")" 'a command is missing; available: serve, check'
expect "an unknown command" "$(exits 2 "$openseat" frobnicate)" 'there is no command "frobnicate"; available: serve'
expect "an agent of another game" "$(exits 2 "$openseat" play tictactoe --seats bot,random)" 'the agent "bot" plays only netrunner'
expect "an invalid number" "$(exits 2 "$openseat" play tictactoe --seed x)" '--seed must be a whole number; got "x"'
expect "an unknown profile" "$(exits 2 "$openseat" serve --profile wild)" '--profile'
expect "too many shards" "$(exits 2 "$openseat" serve --shards -1 --data-dir "$dir/data")" 'not in range 0 to 256'
expect "a folder for a config file" "$(exits 2 "$openseat" serve --config "$dir")" 'is a directory; expected a TOML file'
expect "a match that cannot be created" "$(exits 2 "$openseat" serve --data-dir "$dir/data" --listen 127.0.0.1:0 --match tictactoe:open,zzz)" 'no agent "zzz"'
expect "a model without a valid address" "$(exits 2 "$openseat" serve --model x=openai:m@127.0.0.1:1/v1)" 'begins with http://'
expect "the games" "$("$openseat" games)" '^netrunner +Netrunner +2 seats: Corp, Runner'
expect "a game's rules" "$("$openseat" games tictactoe)" 'Three|three marks in a row'
expect "an unknown game" "$(exits 2 "$openseat" games nope)" 'there is no game "nope"; available: tictactoe'
expect "an unknown flag" "$(exits 2 "$openseat" serve --frobnicate)" 'frobnicate'
expect "an unknown agent" "$(exits 2 "$openseat" serve --agent robot --data-dir "$dir/data")" 'no agent "robot"'
expect "a bad address" "$(exits 2 "$openseat" serve --listen nowhere)" 'HOST:PORT'
expect "an open address" "$(exits 2 "$openseat" serve --listen 0.0.0.0:0 --data-dir "$dir/data")" 'insecure'
expect "a missing config" "$(exits 2 "$openseat" serve --config "$dir/none.toml")" 'none.toml'
expect "an unknown game" "$(exits 2 "$openseat" demo poker)" 'tictactoe'
expect "an unknown table" "$(exits 2 "$openseat" replay none --data-dir "$dir/data")" 'none'
for url in http://x '' ws://; do
  expect "the URL '$url'" "$(exits 2 "$openseat" demo --url "$url")" '--url: '
done
expect "a negative number of games" "$(exits 2 "$openseat" demo --games -1)" '--games: must be a whole number, 0 or more'
expect "a seed below 0" "$(exits 2 "$openseat" check --actions "$dir/script.json" --seed -1)" '--seed: must be a whole'
: >"$dir/empty.json"
printf '{"move":\n {"x" 1}}' >"$dir/broken.json"
expect "an empty script" "$(exits 2 "$openseat" check --actions "$dir/empty.json")" 'got nothing; the script must be .*"action": data'
expect "a broken script" "$(exits 2 "$openseat" check --actions "$dir/broken.json")" 'broken.json": line 2, column 7: not valid JSON'
expect "another empty one" "$(exits 2 "$openseat" serve --agent "script:$dir/empty.json" --data-dir "$dir/other")" 'got nothing; a script is'
expect "no server" "$(exits 1 "$openseat" demo --url ws://127.0.0.1:1)" 'cannot connect'
for command in serve replay demo "bench neuro"; do
  # shellcheck disable=SC2086  # "bench neuro" is two words
  expect "help of $command" "$(exits 0 "$openseat" $command --help)" 'Examples:'
done
refuse "crashes" "$(cat "$dir/data.log")" 'broken invariant'
echo "everything as expected"
