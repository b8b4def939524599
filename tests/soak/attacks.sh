#!/usr/bin/env bash
# All attackers of tests/attack at once, next to a Chimera match, Neuro games, a story and a game of Netrunner through
# webhooks: the server on one core, everything else on another. OPENSEAT_SOAK_MINUTES=10. Before that, 40,000 tables lose
# their games at once next to a neighbor (OPENSEAT_SOAK_TABLES=40000).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
OPENSEAT_ATTACK_TABLES=${OPENSEAT_SOAK_TABLES:-40000} build/tests/attack/openseat_attack --gtest_filter='Attack.ThousandsOfTablesLoseTheirGamesAtOnce'
OPENSEAT_ATTACK_SECONDS=$((${OPENSEAT_SOAK_MINUTES:-10} * 60)) build/tests/attack/openseat_attack --gtest_filter='AllAtOnce.*'
