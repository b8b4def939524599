#!/usr/bin/env bash
# Complete games over MCP with the official TypeScript clients, on the real program.
# usage: play.sh OPENSEAT PACKAGES
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/common.sh
source "$here/../e2e/common.sh"
packages=$2
node=$(compgen -G "$packages/node_modules/node-linux-*/bin/node" | head -1) || fail "the pinned Node.js is not installed"
# Node.js finds packages next to the program that needs them.
cp "$here/play.mjs" "$here/remote.mjs" "$packages/"

start_as server 127.0.0.1:0 --chimera-listen none --shards 2
play() {  # play LIBRARY TRANSPORT GAME
  local said
  said=$(exits 0 "$node" "$packages/play.mjs" "$1" "$2" "$3" "$openseat" "$port" "$dir")
  expect "$*" "$said" "^$1 over $2: $3 in [0-9]+ acts"
  echo "$said"
}
for library in sdk client; do
  for transport in http stdio bridge; do play "$library" "$transport" tictactoe; done
done
recorded=$(play client http netrunner | tee /dev/stderr)
play sdk stdio netrunner

# Games over MCP are recorded, and can be replayed.
match=${recorded##*; }
expect "the replay" "$(exits 0 "$openseat" replay "$match" --data-dir "$dir/server" --json | tail -2)" '"event":"end"'

# The example.
cp "$here/../../examples/mcp_agent/agent.ts" "$packages/"
for role in corp runner; do
  expect "the example" "$(exits 0 "$node" "$packages/agent.ts" "http://127.0.0.1:$port/mcp" netrunner "$role")" 'over after [0-9]+ acts: .* won'
done

# A game that runs elsewhere: the same tools play its actions. It plays until it is stopped, so that it is still there
# when the client has started.
"$openseat" demo tictactoe --url "ws://127.0.0.1:$port" --games 0 --pace 300 --quiet >"$dir/demo.out" 2>&1 &
demo=$!
exits 0 "$node" "$packages/remote.mjs" "$port"
kill -0 "$demo" || fail "the demo: $(cat "$dir/demo.out")"
kill "$demo"
wait "$demo" || true
stop_as server TERM
refuse "crashes" "$(cat "$dir/server.log")" 'broken invariant'
echo "everything as expected"
