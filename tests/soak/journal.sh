#!/usr/bin/env bash
# The journal and the registry on a bad disk: every disk call fails in turn, and the power is cut at every moment, again and again.
# OPENSEAT_STORE_ROUNDS=20 is the number of rounds of power cuts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
ninja -C build openseat_store_test
OPENSEAT_STORE_ROUNDS=${OPENSEAT_STORE_ROUNDS:-20} \
  build/src/store/openseat_store_test --gtest_filter='SqliteJournalFaults.*:SqliteJournalDurability.*:SqliteRegistryFaults.*'
