#!/usr/bin/env bash
# A request of the Agent API that is sent again acts once, also after the server was killed (-9): by its Idempotency-Key, and by
# the number of its decision.
# usage: retries.sh OPENSEAT
set -euo pipefail
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

start() { start_as host 127.0.0.1:0 --chimera-listen none; }
restart() {
  stop_as host KILL
  start
}
post() { http POST "/game/$1" "$2" "X-JNet-API: $seat${3:+$'\r\n'Idempotency-Key: $3}"; } # post WHAT BODY [KEY]
body() { tail -1; }
member() { grep -oE "\"$1\":[^,}]*" <<<"$2" | head -1 | cut -d: -f2; } # member NAME JSON: its value
actions() { http GET /game/actions "" "X-JNet-API: $seat" | body; }
now() { member eid "$(actions)"; }
credits() { member credits "$(actions)"; }
# same WHAT ENDPOINT BODY [KEY]: the request gets the same answer twice, and again after a kill
same() {
  local first again
  first=$(post "${@:2}" | body)
  expect "$1" "$first" '"success":true'
  for when in "again" "after a kill"; do
    again=$(post "${@:2}" | body)
    [ "$again" = "$first" ] || fail "$1, $when: expected $first, got $again"
    [ "$when" != again ] || restart
  done
}
worth() { # worth CREDITS WHEN
  [ "$(credits)" = "$1" ] || fail "$2: expected $1 credits, got $(credits)"
}

start
made=$(http POST /api/v1/matches '{"game":"netrunner","seats":[{"agent":{"kind":"external"}},{"agent":{"kind":"external"}}]}')
mapfile -t keys < <(grep -oE '"api-key":"[^"]*"' <<<"$made" | cut -d'"' -f4)
seat=${keys[0]}
same "an answer to a prompt, by its number" choice "{\"choice\":\"Keep\",\"eid\":$(now)}"
seat=${keys[1]}
same "an answer to a prompt, by a key" choice '{"choice":"Keep"}' keep
seat=${keys[0]}
expect "a command" "$(post action '{"command":"start-turn"}')" '200 OK'

before=$(credits)
same "by a key" action '{"command":"credit"}' one
worth $((before + 1)) "by a key"
expect "another request with that key" "$(post action '{"command":"draw"}' one)" '400 Bad Request.*|used for another request'
eid=$(now)
same "by its number" action "{\"command\":\"credit\",\"eid\":$eid}"
worth $((before + 2)) "by its number"
expect "another request with that number" "$(post action "{\"command\":\"draw\",\"eid\":$eid}")" 'that prompt is over'
same "by the same key as before" action '{"command":"credit"}' one
worth $((before + 2)) "by the same key as before"
expect "without either" "$(post action '{"command":"credit"}')" '200 OK'

# The other side is to act, so this answers no decision.
seat=${keys[1]}
same "to concede" action '{"command":"concede"}' enough
expect "who won" "$(http GET /game/state "" "X-JNet-API: $seat" | body)" '"winner":"corp"'
echo "everything as expected"
