#!/usr/bin/env bash
# A relay between a game and a backend, both of them killed on the way, and the recording played to the game again.
# usage: relay.sh OPENSEAT
set -euo pipefail
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

body() {  # body METHOD PATH: only the answer's body
  http "$@" "" | sed '1,/^\r$/d'
}
start_relay() {  # start_relay LISTEN [FLAGS…]: a relay to the backend; sets port
  local listen=$1
  shift
  : >"$dir/relay.out"
  "$openseat" relay --upstream "ws://127.0.0.1:$backend" --listen "$listen" --data-dir "$dir/relay" "$@" \
    >"$dir/relay.out" 2>"$dir/relay.log" &
  servers[relay]=$!
  wait_until "the relay's address" grep -q 'relays on' "$dir/relay.out"
  port=$(sed -nE 's/.*relays on http:\/\/127\.0\.0\.1:([0-9]+)$/\1/p' "$dir/relay.out")
}
game() { "$openseat" demo "$@" --pace 0 --quiet; }
table() { "$openseat" replay --data-dir "$dir/relay" | awk -v game="$1" 'index($0, game) && !id { id = $2 } END { print id }'; }
complaints() {  # the keys of all diagnostics of the tables at port, one per line, without the advice that no demo game follows
  local id
  body GET /api/v1/tables | grep -oE '"id":"[a-z0-9-]+","game":"[^"]*","kind":"remote"' | cut -d'"' -f4 |
    while read -r id; do body GET "/api/v1/tables/$id/diagnostics" | grep -oE '"key":"[^"]*"' | grep -v additionalProperties || true; done
}

start_as backend 127.0.0.1:0 --chimera-listen none --agent random:seed=3
backend=$port
start_relay 127.0.0.1:0
relay=$port

# Games play as if the relay were not there, and are recorded as if they were played here.
expect "a game" "$(exits 0 game tictactoe --url "ws://127.0.0.1:$relay" --games 300 --seed 7)" '^300 games: .* 0 refused$'
expect "two at once" "$(game rps --url "ws://127.0.0.1:$relay" --games 20 --seed 1 & game chicken --url "ws://127.0.0.1:$relay" --games 20 --seed 1; wait)" '^20 games'
expect "the console" "$(body GET /api/v1/tables)" '"game":"Tic-Tac-Toe".*'
expect "the seat" "$(body GET /api/v1/tables)" '"agent":"upstream"'
[ -z "$(complaints)" ] || fail "the relay complains: $(complaints | sort | uniq -c)"
port=$backend
[ -z "$(complaints)" ] || fail "the backend complains: $(complaints | sort | uniq -c)"
port=$relay
expect "nobody else's seat" "$(http POST "/api/v1/tables/$(table Tic-Tac-Toe)/seats/0/agent" '{"kind":"random"}')" '409 '
expect "a foreign page" "$(http GET /api/v1/relay "" 'Origin: http://evil.example')" '403 '
expect "the channels" "$(body GET /api/v1/relay)" '"upstream":"ws://127.0.0.1:[0-9]+"'
expect "the count" "$(body GET /metrics)" 'openseat_relay_messages_total\{to="game"\} [0-9]+'

# The recording plays the same game bit for bit, and another one not.
tictactoe=$(table Tic-Tac-Toe)
again() {  # again SEED [FLAGS…]: plays the recording to the game
  local seed=$1
  shift
  "$openseat" replay "$tictactoe" --data-dir "$dir/relay" --against ws://127.0.0.1:0 "$@" \
    --run "exec '$openseat' demo tictactoe --url \$NEURO_SDK_WS_URL --games 300 --seed $seed --pace 0 --quiet"
}
same=$(exits 0 again 7)
expect "bit for bit" "$same" '^the same: [0-9]+ messages sent; of the game.s, [0-9]+ the same byte for byte, 0 the same as JSON, 0 changed, 0 missing, 0 unexpected, 0 not reached$'
different=$(exits 1 again 8 --differences 1 --timeout 5)
expect "another game" "$different" 'the game says something else|no longer says'
expect "its verdict" "$different" '^different: '
expect "no game" "$(exits 1 "$openseat" replay "$tictactoe" --data-dir "$dir/relay" --against ws://127.0.0.1:0 --timeout 0.2)" 'no game connected'
expect "a command that fails" "$(exits 1 "$openseat" replay "$tictactoe" --data-dir "$dir/relay" --against ws://127.0.0.1:0 --run 'exit 3')" 'ended with the exit code 3'
expect "as JSON" "$(again 7 --json | tail -1)" '"kind":"report","same":true'
expect "elsewhere" "$(exits 2 "$openseat" replay "$tictactoe" --data-dir "$dir/relay" --against ws://192.0.2.1:8000)" 'on this machine'
expect "no table" "$(exits 2 "$openseat" replay --data-dir "$dir/relay" --against ws://127.0.0.1:0)" 'needs the id'
expect "an unknown table" "$(exits 2 "$openseat" replay no-such-table --data-dir "$dir/relay" --against ws://127.0.0.1:0)" 'no-such-table'

# The backend dies in the middle of the games, and another one takes its place: nothing is lost.
stop_as backend TERM
start_as backend "127.0.0.1:$backend" --chimera-listen none --agent random:seed=3,delay_ms=2
game tictactoe --url "ws://127.0.0.1:$relay" --games 200 --seed 5 >"$dir/through.out" &
player=$!
port=$relay
plays() { [ "$(body GET /metrics | sed -nE 's/^openseat_relay_messages_total\{to="game"\} //p')" -gt "$1" ]; }
before=$(body GET /metrics | sed -nE 's/^openseat_relay_messages_total\{to="game"\} //p')
wait_until "some moves" plays $((before + 50))
stop_as backend KILL
start_as backend "127.0.0.1:$backend" --chimera-listen none --agent random:seed=4
wait "$player" || fail "the game did not end: $(cat "$dir/through.out")"
expect "a killed backend" "$(cat "$dir/through.out")" '^200 games: '

# The relay dies, and its record is there.
port=$relay
kill -9 "${servers[relay]}"
wait "${servers[relay]}" 2>/dev/null || true
unset "servers[relay]"
expect "the record" "$("$openseat" replay "$(table Tic-Tac-Toe)" --data-dir "$dir/relay" | grep -c 'game ▸')" '^[0-9]{3,}$'
expect "the outage" "$("$openseat" replay "$(table Tic-Tac-Toe)" --data-dir "$dir/relay" | grep 'note ')" 'the upstream is here again'
start_relay "127.0.0.1:$relay" --repair all
expect "repairs" "$(exits 0 game connectm --url "ws://127.0.0.1:$relay" --games 3 --seed 1)" '^3 games'

# Wrong usage.
expect "no upstream" "$(exits 2 "$openseat" relay)" 'upstream'
expect "no WebSocket" "$(exits 2 "$openseat" relay --upstream http://127.0.0.1:1)" 'ws://'
expect "itself" "$(exits 2 "$openseat" relay --upstream ws://localhost:8000)" "relay's own address"
expect "a repair" "$(exits 2 "$openseat" relay --upstream ws://127.0.0.1:1 --repair everything)" 'messages, schemas, names'
expect "beyond loopback" "$(exits 2 "$openseat" relay --upstream ws://127.0.0.1:1 --listen 0.0.0.0:0)" 'insecure'
echo "everything as expected"
