#!/usr/bin/env bash
# Hosted seats that a Neuro backend elsewhere plays: one server hosts the matches, another one is the backend.
# usage: dial_out.sh OPENSEAT
set -euo pipefail
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

body() {  # body METHOD PATH [BODY]: only the answer's body
  http "$@" | sed '1,/^\r$/d'
}
create() {  # create GAME SEATS [OPTIONS]: creates a match on the server at port; sets id
  id=$(body POST /api/v1/matches "{\"game\":\"$1\",\"seats\":$2${3:+,\"options\":$3}}" | sed -nE 's/.*"match-id":"([a-z0-9-]+)".*/\1/p')
  [ -n "$id" ] || fail "no match of $1 with $2"
}
is_done() { body GET "/api/v1/tables/$id" "" | grep -q '"status":"done"'; }
reason() { body GET "/api/v1/tables/$id" "" | sed -nE 's/.*"reason":"([^"]*)".*/\1/p'; }
finish() {  # finish WHAT: waits for the match's end, which must follow the rules
  wait_until "the end of $1" is_done
  refuse "$1" "$(reason)" 'answer|left|nothing happened'
}
complaints() {  # all diagnostics of the backend, one per line, but for two notes: the judge comes before the result, and
  # schemas are kept plain
  local table
  body GET /api/v1/tables "" | grep -oE '"id":"[a-z0-9-]+","game":"[^"]*","kind":"remote"' | cut -d'"' -f4 |
    while read -r table; do
      body GET "/api/v1/tables/$table/diagnostics" "" | grep -oE '"key":"[^"]*"' |
        grep -vE 'perf/unregister/after_result|prot/schema/additionalProperties' || true
    done
}
tables() { body GET /api/v1/tables "" | grep -oE '"kind":"remote"' | wc -l; }
moves() { body GET "/api/v1/tables/$id" "" | grep -oE '"events":[0-9]+' | tail -1 | cut -d: -f2; }
moved_on() { [ "$(moves)" -gt "$1" ]; }

printf '[match]\nturn_limit = 2\n' >"$dir/limit.toml"
start_as backend 127.0.0.1:0 --chimera-listen none --agent random:seed=3
backend=$port
start_as host 127.0.0.1:0 --chimera-listen none --test-games
host=$port
there="{\"name\":\"There\",\"agent\":{\"kind\":\"neuro\",\"url\":\"ws://127.0.0.1:$backend\"}}"
here='{"name":"Here","agent":{"kind":"random","seed":1}}'

# Every game, with the backend on either side, and on both.
for game in tictactoe connectm rps chicken p1-wins; do
  for seats in "[$here,$there]" "[$there,$here]" "[$there,${there/There/Elsewhere}]"; do
    create "$game" "$seats"
    finish "$game with $seats"
  done
done
seats=$(body GET "/api/v1/tables/$id" "")
expect "who plays" "$seats" '"name":"There".*"agent":"neuro"'

# Without a hosting server; the agents change seats.
played=$(exits 0 "$openseat" play tictactoe --seats "neuro:ws://127.0.0.1:$backend,random" -n 30 --jobs 2 --seed 1 --json | tail -1)
expect "play" "$played" '"games":30,.*"agent":"neuro:ws:[^"]+","wins":[0-9]+,"draws":[0-9]+,"losses":[0-9]+,"forfeits":0'
# A game that connects here and is played by a backend elsewhere: the server between the two relays everything.
start_as relay 127.0.0.1:0 --chimera-listen none --agent "neuro:ws://127.0.0.1:$backend"
played=$(exits 0 "$openseat" demo chicken --url "ws://127.0.0.1:$port" --games 20 --pace 0 --quiet)
expect "the relay" "$played" '^20 games: .* 0 refused$'
[ -z "$(complaints)" ] || fail "the relay complains: $(complaints | sort | uniq -c)"
stop_as relay TERM
port=$backend
[ "$(tables)" -ge 10 ] || fail "the backend saw $(tables) tables"
[ -z "$(complaints)" ] || fail "the backend complains: $(complaints | sort | uniq -c)"
port=$host

# What is not allowed.
wrong() {  # wrong WHAT AGENT PATTERN
  expect "$1" "$(http POST /api/v1/matches "{\"game\":\"rps\",\"seats\":[{\"agent\":$2}]}")" "$3"
}
wrong "no URL" '{"kind":"neuro"}' '400 .*needs the url|needs the url'
wrong "another scheme" '{"kind":"neuro","url":"http://127.0.0.1/"}' 'must begin with ws'
wrong "a file" '{"kind":"neuro","url":"file:///etc/passwd"}' 'must begin with ws'
wrong "an unknown option" '{"kind":"neuro","url":"ws://127.0.0.1","speed":1}' 'got \\"speed\\"'
expect "another site's page" "$(http POST /api/v1/matches "{\"game\":\"rps\",\"seats\":[$there]}" 'Origin: http://evil.example')" '403 '
expect "a rebound name" "$(http POST /api/v1/matches "{\"game\":\"rps\",\"seats\":[$there]}" '' evil.example)" '403 '
expect "wrong usage" "$(exits 2 "$openseat" play rps --seats neuro,random)" 'needs the url'

# The backend dies in the middle of a game and comes back; then the host does.
stop_as backend TERM
start_as backend "127.0.0.1:$backend" --chimera-listen none --agent random:seed=3,delay_ms=40
port=$host
create connectm "[$here,$there]" '{"rows":20,"columns":20,"m":20}'
wait_until "some moves" moved_on 60
stop_as backend KILL
before=$(moves)
start_as backend "127.0.0.1:$backend" --chimera-listen none --agent random:seed=3,delay_ms=40
port=$host
wait_until "moves after the backend came back" moved_on $((before + 40))
stop_as host KILL
start_as host 127.0.0.1:0 --chimera-listen none --test-games
before=$(moves)
wait_until "moves after the host came back" moved_on $((before + 40))
expect "the journal" "$(body GET "/api/v1/tables/$id/transcript?limit=1" "")" '"kind":"opened"'
last=$id

# A backend that never answers, and one that does not exist: the match continues according to its rules.
start_as silent 127.0.0.1:0 --chimera-listen none --agent random:answer=false
silent=$port
start_as strict 127.0.0.1:0 --chimera-listen none --config "$dir/limit.toml"
create rps "[$here,${there/$backend/$silent}]"
wait_until "the end of the turn" is_done
expect "a backend that never answers" "$(reason)" 'There did not answer in time'
create rps "[$here,{\"name\":\"Nobody\",\"agent\":{\"kind\":\"neuro\",\"url\":\"ws://127.0.0.1:1\",\"patience_ms\":300}}]"
wait_until "the end of the patience" is_done
expect "a backend that is not there" "$(reason)" 'Nobody could not answer'

# A server that stops closes its connections to the backends properly, and leaves the match to the next start.
stop_as host TERM
expect "the end of the log" "$(tail -1 "$dir/host.log")" 'stopped'
port=$backend
# It was killed, and told the rules again when it was back.
[ "$(complaints)" = '"key":"prot/close/abnormal"
"key":"perf/reconnect/context_repeated"' ] || fail "there are more diagnostics than those of the killed host: $(complaints)"
refuse "the open match" "$("$openseat" replay "$last" --data-dir "$dir/host" | tail -1)" 'closed'
echo "everything as expected"
