#!/usr/bin/env bash
# Thirty bots in five languages, four of them hostile, each against each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bash tests/e2e/bots.sh build/openseat /usr/bin/python3 round-robin
