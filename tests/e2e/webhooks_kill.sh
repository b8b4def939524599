#!/usr/bin/env bash
# No webhook is lost and none comes out of order though the server is killed again and again (-9).
# usage: webhooks_kill.sh OPENSEAT PYTHON
set -euo pipefail
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
python=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir "$dir/data"
told=$(exits 0 timeout 280 "$python" "$root/tests/agent_api/play_through_kills.py" "$root/examples/webhook_agent" "$openseat" "$dir/data")
expect "the game" "$told" '^[4-6] kills .* none lost'
echo "$told"
