#!/usr/bin/env bash
# Models at a published mock of the providers: what it sends was written by others from the providers' documentation.
# usage: play.sh OPENSEAT PACKAGES
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/common.sh
source "$here/../e2e/common.sh"
packages=$2
node=$(compgen -G "$packages/node_modules/node-linux-*/bin/node" | head -1) || fail "the pinned Node.js is not installed"
# Node.js finds packages next to the program that needs them.
cp "$here/aimock.mjs" "$packages/"
export OPENAI_API_KEY=some-key GEMINI_API_KEY=some-key ANTHROPIC_API_KEY=some-key
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY

coproc MOCK { exec "$node" "$packages/aimock.mjs"; }
mock=$MOCK_PID
read -r models <&"${MOCK[0]}"
url=http://127.0.0.1:$models
declare -A places=(["chat"]="openai:first@$url/v1" ["responses"]="responses:last@$url/v1"
  ["gemini"]="gemini:center@$url/v1beta" ["claude"]="anthropic:center@$url/v1")
names=()
for name in "${!places[@]}"; do
  names+=(--model "$name=${places[$name]}" --model "whole_$name=${places[$name]},stream=false")
done
play() {  # play GAME SEATS [MORE]: two games; nothing goes wrong on the way
  local played
  played=$(exits 0 "$openseat" play "$1" "${names[@]}" --seats "$2" -n 2 --json "${@:3}" | tail -1)
  expect "$1, $2" "$played" '"games":2'
  for count in failures illegal mended reasked given_up; do
    refuse "$1, $2: $count" "$played" "\"$count\":[1-9]"
  done
  expect "$1, $2" "$played" '"tokens_in":[1-9].*"tokens_out":[1-9]'
}
# A tournament of all providers, in which every game counts.
exits 0 "$openseat" tournament tictactoe,connectm "${names[@]}" --agents llm:chat,llm:responses,llm:gemini,llm:claude \
  --pairs 1 --jobs 2 --seed 5 --out "$dir/cup" >/dev/null
[ "$(wc -l <"$dir/cup/games.jsonl")" = 24 ] || fail "the tournament has $(wc -l <"$dir/cup/games.jsonl") games, not 24"
refuse "the tournament" "$(cat "$dir/cup/games.jsonl")" '"result":"void"|"forfeit":true|"(illegal|repaired|asked_again)":[1-9]'
for name in "${!places[@]}"; do
  expect "the ratings" "$(cat "$dir/cup/ratings.json")" "\"agent\": ?\"llm:$name\""
done
for name in "${!places[@]}"; do play tictactoe "llm:whole_$name,random"; done

eval "exec ${MOCK[1]}>&-"
counts=$(cat <&"${MOCK[0]}")
wait "$mock"
for path in /v1/chat/completions /v1/responses /v1/messages /v1beta/models/center:streamGenerateContent \
  /v1beta/models/center:generateContent; do
  expect "what the mock was asked" "$counts" "\"${path}[^\"]*\":[1-9]"
done
echo "everything as expected"
