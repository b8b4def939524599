#!/usr/bin/env bash
# A cluster of three nodes and three NATS servers, whose processes are killed, frozen, stopped and cut off under a mixed load;
# at the end, what clients were told is compared with the journal. OPENSEAT_SOAK_FAULTS=60; OPENSEAT_SOAK_WITHOUT leaves out
# those whose line matches this expression. As root, each process is a
# machine of its own (ip netns); otherwise nothing can be cut off. The nats-server is the first in PATH. The logs stay in
# build/soak-cluster.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
support=tests/soak/support/cluster
nats-server --version
/usr/bin/python3 "$support/history_test.py"
folder=${OPENSEAT_SOAK_FOLDER:-build/soak-cluster}
rm -rf "$folder"
mkdir -p "$folder"
/usr/bin/python3 "$support/run.py" "$(realpath "${1:-build/openseat}")" games "${OPENSEAT_SOAK_FAULTS:-60}" "${OPENSEAT_SOAK_WITHOUT:-}" \
  "$(realpath "$folder")"
