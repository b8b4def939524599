#!/usr/bin/env bash
# Games that speak the Neuro API against a server whose random agent is sometimes wrong. The games are killed and come
# back at random, and so does the server. OPENSEAT_SOAK_MINUTES=10.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
set -- "${1:-build/openseat}"
# shellcheck source=tests/e2e/common.sh
source tests/e2e/common.sh
# shellcheck source=tests/soak/support/soak.sh
source tests/soak/support/soak.sh

printf '[neuro]\nkeep = 20\n' >"$dir/server.toml"
serve --config "$dir/server.toml" --chimera-listen none --log-level error --agent random:invalid=0.02
mkdir "$dir/games"

play() {  # play GAME NUMBER: plays again and again until the time is up, each time for up to eight seconds
  local code last=$dir/games/$2.last
  until time_is_up; do
    code=0
    timeout -s KILL "$((RANDOM % 8)).$((RANDOM % 9 + 1))" "$openseat" demo "$1" --url "ws://127.0.0.1:$port" \
      --games "$((RANDOM % 30 + 1))" --pace "$((RANDOM % 10))" --quiet >"$last" 2>&1 || code=$?
    case $code in
      0) echo played ;;
      137) echo killed ;;
      *) grep -qE 'cannot connect|closed the connection' "$last" && echo lost || echo "failed: $code $(cat "$last")" ;;
    esac
    [ "$code" = 0 ] || sleep "0.$((RANDOM % 5))"
  done
}
players=()
for game in tictactoe connectm rps chicken tictactoe connectm rps chicken; do
  play "$game" "${#players[@]}" >"$dir/games/${#players[@]}.log" 2>/dev/null &
  players+=($!)
done
nothing() { :; }
watch nothing
wait "${players[@]}"

stop_as server TERM
echo "games: $(cat "$dir"/games/*.log | cut -d: -f1 | sort | uniq -c | awk '{printf "%s%s %s", NR == 1 ? "" : ", ", $1, $2}')"
! grep -h '^failed' "$dir"/games/*.log || fail "a game failed for another reason than a lost connection"
! grep -E ' error ' "$dir/server.log" | grep -v '\[prot/' || fail "the server's log has errors"
check_journal
echo "soak neuro: $minutes minutes, $kills kills of the server, highest memory $highest MB: everything as expected"
