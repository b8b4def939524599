#!/usr/bin/env bash
# No webhook is lost, and none arrives out of order, although the server is killed again and again (-9).
# usage: webhooks_kill.sh OPENSEAT PYTHON
set -euo pipefail
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
python=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Decks are shuffled, and one game in ten is over before the fourth kill (exit code 75): then another one is played.
for number in 1 2 3 4 5 6 7 8; do
  mkdir "$dir/data$number"
  status=0
  told=$(timeout 280 "$python" "$root/tests/agent_api/play_through_kills.py" "$root/examples/webhook_agent" "$openseat" "$dir/data$number" 2>&1) ||
    status=$?
  [ "$status" = 75 ] || break
done
[ "$status" = 0 ] || fail "playing through kills exited with $status: $told"
expect "the game" "$told" '^[4-6] kills .* none lost'
echo "$told"
