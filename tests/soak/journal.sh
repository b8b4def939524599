#!/usr/bin/env bash
# The journal on a bad disk: every call of the disk fails in turn, and the power goes at every moment, again and again.
# OPENSEAT_STORE_ROUNDS=20 is how often the power goes everywhere.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
ninja -C build openseat_store_test
OPENSEAT_STORE_ROUNDS=${OPENSEAT_STORE_ROUNDS:-20} \
  build/src/store/openseat_store_test --gtest_filter='SqliteJournalFaults.*:SqliteJournalDurability.*'
