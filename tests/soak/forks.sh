#!/usr/bin/env bash
# Every decision of OPENSEAT_FORK_GAMES (1,000) random games of every game is entered again, and the state compared with
# the game's own. The digests are the same on every machine; if build-clang has the program, they are compared with its.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
games=${OPENSEAT_FORK_GAMES:-1000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for game in tictactoe connectm rps chicken netrunner narrative; do
  build/openseat play "$game" --seats random,random -n "$games" --seed 20 --jobs 2 --out "$dir/$game" --json >"$dir/play.json"
  found=$(build/openseat fork "$dir/$game" --check --json)
  echo "$game $found"
  if [[ -x build-clang/openseat ]]; then
    other=$(build-clang/openseat fork "$dir/$game" --check --json)
    [[ $found == "$other" ]] || { echo "clang's program finds $other" && exit 1; }
  fi
  rm -rf "${dir:?}/$game"
done
