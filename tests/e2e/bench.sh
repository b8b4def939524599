#!/usr/bin/env bash
# `openseat bench`: each load, as small as possible, runs against its own server and reports what it measured.
# usage: bench.sh OPENSEAT
set -euo pipefail
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

measured() {  # measured WHAT MEMBERS ARGUMENTS…: prints JSON with these members, none of them 0
  local what=$1 members=$2 member output
  shift 2
  output=$(exits 0 "$openseat" bench "$@" --json)
  for member in $members; do
    expect "$what" "$output" "\"$member\":[1-9]|\"$member\":0\.[0-9]*[1-9]"
  done
}
# At the same time, since they wait most of their time.
loads=()
measured "round trips" \
  "connections trips_per_second p50_us bytes_out server_cpu_us_per_trip ratio idle_connection_bytes idle_game_bytes" \
  neuro --connections 2 --depth 2 --seconds 1 --idle 200 --limit &
loads+=($!)
measured "matches" "matches actions_per_second matches_per_second notifications_per_second p99_us server_cpu_us_per_action" \
  chimera --matches 20 --seconds 1 &
loads+=($!)
measured "agents" "games actions webhooks action_p50_us server_bytes" agents --games 2 &
loads+=($!)
measured "MCP hosts" "acts_per_second games_per_second chimera_games_per_second ratio_of_games" mcp --games 4 --seconds 1 &
loads+=($!)
figures=$(exits 0 "$openseat" bench chimera --matches 5 --seconds 0.1 --game connectm --memory)
for load in "${loads[@]}"; do wait "$load" || fail "a load"; done
expect "figures for people" "$figures" 'durable actions/s   answered: p50'
expect "memory" "$figures" 'of server memory per match in progress'

start_as other 127.0.0.1:0 --chimera-listen none
expect "a server that runs already" "$(exits 0 "$openseat" bench neuro --connections 1 --seconds 0.1 --url "ws://127.0.0.1:$port")" \
  'openseat .* trips/s'
expect "no such game" "$(exits 2 "$openseat" bench chimera --game nope)" 'there is no game "nope"'
expect "a game of chance" "$(exits 2 "$openseat" bench chimera --game netrunner)" 'cannot be used here'
expect "no server" "$(exits 1 "$openseat" bench neuro --url ws://127.0.0.1:1)" '.'
expect "no load" "$(exits 2 "$openseat" bench)" 'a command of bench is missing; available: neuro, chimera, agents, mcp$'
echo "everything as expected"
