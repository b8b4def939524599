#!/usr/bin/env bash
# Recorded games that are gone on with: over the API and through kills (-9), and with openseat fork, ask and analyze.
# usage: forks.sh OPENSEAT
set -euo pipefail
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

members() { grep -oE "\"$1\":\"[^\"]*\"" | cut -d'"' -f4; } # members NAME: the values of that member in the JSON on standard input
bots='"seats":[{"agent":{"kind":"random","seed":1}},{"agent":{"kind":"random","seed":2}}]'

start_as host 127.0.0.1:0 --chimera-listen none
parent=$(http POST /api/v1/matches "{\"game\":\"tictactoe\",$bots}" | members match-id)
over() { http GET "/api/v1/tables/$1" | grep -q '"status":"done"'; }
wait_until "the match is over" over "$parent"

# One fork is played to its end, the other waits for somebody.
fork() { http POST "/api/v1/tables/$parent/fork" "$1"; }
done_fork=$(fork "{\"decision\":2,$bots}")
expect "a fork" "$done_fork" '201 Created'
child=$(members match-id <<<"$done_fork")
wait_until "the fork is over" over "$child"
waiting=$(fork '{"decision":3,"seats":[{"agent":{"kind":"random","seed":3}},{}]}' | members match-id)
expect "it waits" "$(http GET "/api/v1/tables/$waiting")" '"status":"awaiting-players"'
expect "its parent" "$(http GET "/api/v1/tables/$child/transcript")" "\"fork\":\{\"table\":\"$parent\",\"event\":[0-9]+\}"
refuse "what was hidden" "$(http GET "/api/v1/tables/$child/transcript")" '"kind":"forked"'
expect "no such decision" "$(fork '{"decision":99}')" '400 Bad Request'
expect "the end" "$(fork '{"event":1}')" '409 Conflict'
expect "too many seats" "$(fork '{"decision":1,"seats":[{},{},{}]}')" '400 Bad Request'
expect "its options" "$(fork '{"decision":1,"options":{}}')" 'a fork has the options of its match'
expect "no point" "$(fork '{}')" '400 Bad Request'
expect "no table" "$(http POST /api/v1/tables/nowhere/fork '{"decision":1}')" '404 Not Found'

# What the server finds out about the choices.
judged() { http GET "/api/v1/tables/$parent/analysis" | grep -q '"status":"done"'; }
expect "a judgment" "$(http POST "/api/v1/tables/$parent/analysis" '{"iterations":200}')" '202 Accepted'
wait_until "the choices are judged" judged
expect "of a match that goes on" "$(http POST "/api/v1/tables/$waiting/analysis" '{}')" '409 Conflict'

stop_as host KILL
start_as host 127.0.0.1:0 --chimera-listen none
expect "it still waits" "$(http GET "/api/v1/tables/$waiting")" '"status":"awaiting-players"'
taken=$(http POST "/api/v1/tables/$waiting/seats/1/agent" '{"kind":"random","seed":4}')
expect "somebody comes" "$taken" '200 OK'
wait_until "the match is over" over "$waiting"
expect "what was chosen before" "$(http GET "/api/v1/tables/$waiting/transcript?viewer=all")" \
  '"choices":\[\{"seat":0,.*\},\{"seat":1,.*\},\{"seat":0,.*\}\]\}\}'
stop_as host KILL

# The same from the command line, while no server runs. Forks of forks, too.
checked=$(exits 0 "$openseat" fork --check --data-dir "$dir/host")
expect "all decisions" "$checked" '^3 games, [0-9]+ decisions entered again, 0 differences$'
expect "the decisions" "$(exits 0 "$openseat" fork "$parent" --data-dir "$dir/host")" '^ +0  seat 0  \{"action":"move"'
played=$(exits 0 "$openseat" fork "$parent" --at 2 --agent random --data-dir "$dir/host" -n 4 --seed 5 --out "$dir/forks" --json)
expect "four games" "$played" '"games":4'
expect "they say where they begin" "$(cat "$dir/forks/run.json")" "\"table\": \"$parent\""
expect "the run's own decisions" "$(exits 0 "$openseat" fork "$dir/forks" --check)" '^4 games, [0-9]+ decisions entered again, 0 differences$'
expect "no such decision" "$(exits 2 "$openseat" fork "$parent" --at 99 --data-dir "$dir/host")" 'the decisions of .* are 0 to'
expect "a game of the run" "$(exits 0 "$openseat" fork "$dir/forks" --game 1 --at 0 --seats random,random -n 2 --json)" '"games":2'

# The same agent with the same seed chooses the same; another one may not.
asked=$(exits 0 "$openseat" ask "$dir/forks" --agent random --seed 1 --iterations 100 --out "$dir/asked.jsonl" --json)
expect "what another one would do" "$asked" '"decisions":[0-9]+,"answered":[0-9]+,"agreed":'
expect "a line" "$(head -1 "$dir/asked.jsonl")" '"agent":"random.*",.*"asked":"random","was":.*"agrees":(true|false),"difference":'
again=$(exits 0 "$openseat" ask "$dir/forks" --agent random --seed 1 --iterations 100 --json --out "$dir/again.jsonl")
[ "$asked" = "$again" ] || fail "not the same again: $asked, then $again"

# Stories are asked about, but not judged: no value is made up.
exits 0 "$openseat" play narrative --seats random,random -n 1 --seed 1 --out "$dir/story" >/dev/null
expect "no difference" "$(exits 0 "$openseat" ask "$dir/story" --agent random --iterations 16 --json --out "$dir/story.jsonl")" '"difference":null'

exits 0 "$openseat" analyze "$dir/forks" --iterations 200 >"$dir/losses.txt"
expect "average losses" "$(cat "$dir/losses.txt")" '^random[^ ]* +[0-9]+ +0\.[0-9]+ ± 0\.[0-9]+'
cp "$dir/forks/analysis.jsonl" "$dir/first.jsonl"
exits 0 "$openseat" analyze "$dir/forks" --iterations 200 --jobs 2 >/dev/null
cmp "$dir/first.jsonl" "$dir/forks/analysis.jsonl" || fail "another judgment of the same games"
expect "a table" "$(exits 0 "$openseat" analyze "$parent" --iterations 200 --data-dir "$dir/host")" '^agent +choices +average loss'
expect "nothing to judge" "$(exits 2 "$openseat" analyze "$dir/none")" 'no table|there is no journal'
echo ok
