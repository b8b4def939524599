#!/usr/bin/env bash
# Seats of a match that are handed over to other agents, through kills (-9): who plays, which keys are valid, and what is
# left in the registry. Also that the Agent API's rate limit can be lifted.
# usage: hand_over.sh OPENSEAT PYTHON
set -euo pipefail
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
python=$2

members() { grep -oE "\"$1\":\"[^\"]*\"" | cut -d'"' -f4; } # members NAME: the values of that member in the JSON on standard input
targets() { "$python" -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM webhooks").fetchone()[0])' "$dir/host/registry.db"; }
left() { [ "$(targets)" = "$1" ]; }
restart() {
  stop_as host KILL
  start_as host 127.0.0.1:0 --chimera-listen none --agent external
}
table() { http GET "/api/v1/tables/$match" | tail -1; }
hand_over() { http POST "/api/v1/tables/$match/seats/$1/agent" "$2"; } # hand_over SEAT AGENT
seen() { http GET /game/state "" "X-JNet-API: $1"; }                   # seen KEY: the game as that key's seat sees it

start_as host 127.0.0.1:0 --chimera-listen none --agent external
made=$(http POST /api/v1/matches '{"game":"tictactoe","seats":[{"name":"Ana","agent":{"kind":"external"}},{"name":"Ben","agent":{"kind":"external"}}]}')
expect "a match" "$made" '201 Created'
match=$(members match-id <<<"$made")
mapfile -t keys < <(members api-key <<<"$made")
mapfile -t tokens < <(members token <<<"$made")
[ "${#keys[@]}" = 2 ] || fail "two keys: $made"
expect "Ana's seat" "$(seen "${keys[0]}")" '200 OK'

# Both seats get other agents; the first one's webhooks go to an address where nothing listens.
refused=$(hand_over 0 '{"kind":"nobody"}')
expect "an unknown agent" "$refused" '404 Not Found'
handed=$(hand_over 0 '{"kind":"webhook","url":"http://127.0.0.1:1/","key":"hand-over-s3cret"}')
expect "a webhook takes Ana's seat" "$handed" '"agent":"webhook"'
key=$(members api-key <<<"$handed")
expect "a file may not be named" "$(hand_over 1 '{"kind":"script","file":"/etc/passwd"}')" '403 Forbidden'
handed=$(hand_over 1 '{"kind":"script","script":[{"action":"nothing"}]}')
expect "a script takes Ben's seat" "$handed" '"agent":"script"'

check_seats() { # check_seats WHEN
  expect "who plays $1" "$(table)" '"name":"Ana",[^{}]*"agent":"webhook".*"name":"Ben",[^{}]*"agent":"script"'
  expect "the new key $1" "$(seen "$key")" '200 OK'
  for former in "${keys[0]}" "${tokens[0]}"; do
    expect "what Ana's agent had $1" "$(seen "$former")" '404 Not Found'
  done
  for former in "${keys[1]}" "${tokens[1]}"; do
    expect "what Ben's agent had $1" "$(seen "$former")" '403 Forbidden'
  done
}
check_seats "before the kill"
left 1 || fail "one target is kept: $(targets)"

# A game that runs elsewhere, whose seat also gets webhooks, ends with the server.
"$openseat" demo tictactoe --url "ws://127.0.0.1:$port" --games 100 --pace 0 --quiet >"$dir/demo.out" 2>"$dir/demo.log" &
servers[demo]=$!
connected() { http GET /api/v1/tables | grep -q '"kind":"remote"'; }
wait_until "the game from elsewhere" connected
remote=$(http GET /api/v1/tables | grep -oE '"id":"[^"]*","game":"[^"]*","kind":"remote"' | cut -d'"' -f4)
expect "a webhook takes its seat" \
  "$(http POST "/api/v1/tables/$remote/seats/0/agent" '{"kind":"webhook","url":"http://127.0.0.1:1/"}')" '200 OK'
left 2 || fail "two targets are kept: $(targets)"
stop_as demo KILL
restart
wait_until "the target is deleted" left 1
check_seats "after the kill"
expect "the webhook's target" "$(http GET "/api/v1/tables/$match/seats/0/webhooks")" '"url":"http://127.0.0.1:1/'
restart
check_seats "after another kill"
left 1 || fail "the target of the match is kept: $(targets)"

# The journal has the change and no secret.
transcript=$(http GET "/api/v1/tables/$match/transcript?viewer=all&limit=10000")
expect "the event" "$transcript" '"kind":"handed-over","payload":\{"seat":0,"agent":\{[^{}]*"target":"w-[^{}]*\}\}'
for secret in hand-over-s3cret "${key##*.}" "${keys[0]##*.}" "${tokens[1]##*.}"; do
  refuse "the transcript" "$transcript" "$secret"
  ! grep -q "$secret" "$dir"/host/openseat.db* || fail "a secret is in the journal"
done
expect "for spectators" "$(http GET "/api/v1/tables/$match/transcript")" \
  '"kind":"handed-over","payload":\{"seat":0,"name":"Ana","agent":"webhook"\}'
expect "the replay" "$(exits 0 "$openseat" replay "$match" --as spectator --data-dir "$dir/host")" \
  'webhook plays seat 0 from now on, for "Ana"'

# Two agents that play by themselves finish the match; then nobody can be seated, and nothing is left.
expect "a bot takes Ben's seat" "$(hand_over 1 '{"kind":"random","seed":2}')" '"agent":"random"'
expect "a bot takes Ana's seat" "$(hand_over 0 '{"kind":"random","seed":1}')" '200 OK'
over() { table | grep -q '"status":"done"'; }
wait_until "the end" over
expect "after the end" "$(hand_over 0 '{"kind":"webhook","url":"http://127.0.0.1:1/"}')" '409 Conflict'
wait_until "the targets' being forgotten" left 0
restart
expect "who played" "$(table)" '"agent":"random".*"agent":"random"'
stop_as host TERM

# A rate of 0 means no limit, and a flag overrides the config file. This machine has none.
printf '[agent_api]\nrate = 1\nburst = 1\n' >"$dir/slow.toml"
start_as fast 127.0.0.1:0 --chimera-listen none --config "$dir/slow.toml" --agent-rate 0
key=$(http POST /api/v1/matches '{"game":"tictactoe","seats":[{"agent":{"kind":"external"}},{"agent":{"kind":"external"}}]}' | members api-key | head -1)
from_elsewhere() { http GET /game/state "" "X-JNet-API: $key"$'\r\n'"X-Forwarded-For: 203.0.113.9"; }
for _ in 1 2 3 4 5 6; do expect "no limit" "$(from_elsewhere)" '200 OK'; done
stop_as fast TERM
start_as slow 127.0.0.1:0 --chimera-listen none --config "$dir/slow.toml"
key=$(http POST /api/v1/matches '{"game":"tictactoe","seats":[{"agent":{"kind":"external"}},{"agent":{"kind":"external"}}]}' | members api-key | head -1)
limited=
for _ in 1 2 3 4 5 6 7 8 9 10; do ! grep -q ' 429 ' <<<"$(from_elsewhere)" || limited=yes; done
[ -n "$limited" ] || fail "requests from elsewhere had no limit"
for _ in 1 2 3 4 5 6; do expect "this machine" "$(seen "$key")" '200 OK'; done
stop_as slow TERM
expect "an invalid rate" "$(exits 2 "$openseat" serve --agent-rate 1000001)" 'agent-rate'
echo "everything as expected"
