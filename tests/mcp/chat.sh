#!/usr/bin/env bash
# The board in the chat (docs/protocols/mcp.md): whole games in a real Chromium, with the published bridge as host and a
# script as model. Exit code 77: Chromium is not installed.
# usage: chat.sh OPENSEAT PACKAGES WEB
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/common.sh
source "$here/../e2e/common.sh"
packages=$2 web=$3
chromium=${OPENSEAT_CHROMIUM:-}
for name in chromium chromium-browser google-chrome; do
  [[ -n $chromium ]] || chromium=$(command -v "$name" || true)
done
if [[ -z $chromium ]]; then
  echo "Skipped: Chromium is not installed (./dev test installs it; on Debian: apt-get install chromium)"
  exit 77
fi
node=$(compgen -G "$packages/node_modules/node-linux-*/bin/node" | head -1) || fail "the pinned Node.js is not installed"
# Node.js finds packages next to the program that needs them.
cp "$here/chat.mjs" "$here/chat_host.mjs" "$here/chat_proxy.html" "$packages/"
start_as server 127.0.0.1:0 --chimera-listen none --shards 2
exits 0 "$node" "$packages/chat.mjs" "$port" "$web" "$chromium" "${OPENSEAT_PICTURES:-}"
