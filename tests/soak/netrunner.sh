#!/usr/bin/env bash
# Plays 100,000 random games of Netrunner with random legal decks and checks the invariants after every step.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
ninja -C build openseat_games_netrunner_test
OPENSEAT_NETRUNNER_GAMES=${OPENSEAT_NETRUNNER_GAMES:-100000} \
  build/src/games/netrunner/openseat_games_netrunner_test --gtest_filter='NetrunnerSoak.Invariants*'
