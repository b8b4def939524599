#!/usr/bin/env bash
# Hosted matches: Chimera clients that leave, come back, watch and send nonsense, and matches between agents, some of
# which dial out to the server itself. The server is killed now and then. OPENSEAT_SOAK_MINUTES=10.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
set -- "${1:-build/openseat}" "${2:-build/tests/soak/openseat_chimera_soak}"
# shellcheck source=tests/e2e/common.sh
source tests/e2e/common.sh
# shellcheck source=tests/soak/support/soak.sh
source tests/soak/support/soak.sh

printf '[match]\ngrace = 2\nidle = 60\nlinger = 5\nturn_limit = 30\n[neuro]\nkeep = 20\n' >"$dir/server.toml"
serve --config "$dir/server.toml" --chimera-listen none --log-level error --agent random
"$2" "ws://127.0.0.1:$port/chimera" "$((minutes * 60))" >"$dir/clients.out" 2>&1 &
clients=$!

made=0
games=(tictactoe connectm rps chicken)
make_matches() {  # between agents; none while the server is down
  local there="{\"agent\":{\"kind\":\"neuro\",\"url\":\"ws://127.0.0.1:$port\"}}" random='{"agent":{"kind":"random"}}' seats
  for seats in "[$random,$random]" "[$there,$random]" "[$random,$there]"; do
    if http POST /api/v1/matches "{\"game\":\"${games[RANDOM % 4]}\",\"seats\":$seats}" 2>/dev/null | grep -q '201 '; then
      made=$((made + 1))
    fi
  done
}
watch make_matches
code=0
wait "$clients" || code=$?
cat "$dir/clients.out"
[ "$code" = 0 ] || fail "the clients complain"

stop_as server TERM
[ ! -s "$dir/server.log" ] || ! grep -E ' error ' "$dir/server.log" | grep -v '\[prot/' || fail "the server's log has errors"
echo "matches between agents: $made made"
check_journal
echo "soak chimera: $minutes minutes, $kills kills of the server, highest memory $highest MB: everything as expected"
