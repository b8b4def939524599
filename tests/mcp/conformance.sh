#!/usr/bin/env bash
# Runs the published conformance suite of MCP against the real server, for one revision. expected_REVISION.yml lists what
# may fail; the suite rejects a list that is longer than necessary.
# usage: conformance.sh OPENSEAT PACKAGES REVISION
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=tests/e2e/common.sh
source "$here/../e2e/common.sh"
packages=$2
revision=$3

# The suite needs a newer Node.js than Debian 12 has.
node=$(compgen -G "$packages/node_modules/node-linux-*/bin/node" | head -1) || fail "the pinned Node.js is not installed"
start_as server 127.0.0.1:0 --chimera-listen none --mcp-fixtures --shards 2
exits 0 "$node" "$packages/node_modules/@modelcontextprotocol/conformance/dist/index.js" server \
  --url "http://127.0.0.1:$port/mcp" --requirements "$revision" --expected-failures "$here/expected_$revision.yml" \
  -o "$dir/results" | sed -n '/=== SUMMARY/,$p'
stop_as server TERM
refuse "crashes" "$(cat "$dir/server.log")" 'broken invariant'
echo "everything as expected"
