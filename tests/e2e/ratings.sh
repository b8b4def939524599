#!/usr/bin/env bash
# Ratings (docs/formats/ratings.md) of runs written by hand and of tournaments, and pools.
# usage: ratings.sh OPENSEAT PYTHON
set -euo pipefail

python=$2
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
unset OPENSEAT_CONFIG

games() {  # games FOLDER GAME FIRST SECOND RESULTS: a game for each letter: w, l or d, as the first agent sees it
  mkdir -p "$dir/$1"
  "$python" - "$dir/$1/games.jsonl" "${@:2}" <<'PY'
import json, sys
file, game_id, first, second, results = sys.argv[1:]
with open(file, 'a+') as out:
    out.seek(0)
    begin = len(out.readlines())
    for number, letter in enumerate(results, begin + begin % 2):
        seats = [first, second] if number % 2 == 0 else [second, first]
        winners = {'w': [seats.index(first)], 'l': [seats.index(second)], 'd': []}[letter]
        out.write(json.dumps({'game': number, 'pair': number // 2, 'game_id': game_id, 'seed': number // 2, 'seats': seats,
                              'result': 'win' if winners else 'draw', 'winners': winners}) + '\n')
PY
}
ask() {  # ask JSON EXPRESSION: what Python says about `all`, by agent `of`, and `pairs` by names
  "$python" -c 'import json, sys
all = json.loads(sys.argv[1])
of = {agent["agent"]: agent for agent in all["agents"]}
pairs = {(pair["a"], pair["b"]): pair for pair in all["pairs"]}
print(eval(sys.argv[2]))' "$1" "$2"
}
holds() {  # holds WHAT JSON EXPRESSION
  [ "$(ask "$2" "$3")" = True ] || fail "$1: $3 is $(ask "$2" "$3") in $2"
}

# 30 of 40 games won are 400 log10(3) = 191 Elo; the prior brings the two a little closer.
games known tictactoe strong weak "$(printf 'wwwl%.0s' {1..10})"
rated=$(exits 0 "$openseat" ratings "$dir/known" --json)
holds "two agents" "$rated" '180 < of["strong"]["rating"] - of["weak"]["rating"] < 191'
holds "the mean" "$rated" 'of["strong"]["rating"] + of["weak"]["rating"] == 3000'
holds "intervals" "$rated" '0 < of["weak"]["high"] - of["weak"]["low"] < 200 and of["strong"]["low"] > 1500 and of["strong"]["rank"] == 1'
holds "the record" "$rated" '(of["strong"]["wins"], of["strong"]["draws"], of["strong"]["losses"], of["strong"]["void"]) == (30, 0, 10, 0)'
holds "the pair" "$rated" 'pairs[("strong", "weak")]["more_pairs"] == 0 and pairs[("strong", "weak")]["superiority"] > 0.99'
[ "$("$python" -c 'import json, sys; print(json.load(open(sys.argv[1])) == json.loads(sys.argv[2]))' "$dir/known/ratings.json" "$rated")" = True ] ||
  fail "ratings.json is not what was printed"
expect "the table" "$(exits 0 "$openseat" ratings "$dir/known")" '^strong +159[0-9] +15[0-9]+ to [0-9]+ +40 +30 +0 +10 +0 +0 '
# Measured from an agent; of equal games, equal numbers.
rated=$(exits 0 "$openseat" ratings "$dir/known" --json --anchor weak=1000)
holds "an anchor" "$rated" 'of["weak"]["rating"] == of["weak"]["low"] == 1000 and all["anchor"] == "weak"'
[ "$rated" = "$(exits 0 "$openseat" ratings "$dir/known" --json --anchor weak=1000)" ] || fail "the same games, other ratings"

# Runs are rated together, over all games and for each; whoever is in between connects those who never met.
games other connectm weak weaker wwlw
games other connectm weak weaker dwww
rated=$(exits 0 "$openseat" ratings "$dir/known" "$dir/other" --json)
holds "three agents" "$rated" '[agent["agent"] for agent in all["agents"]] == ["strong", "weak", "weaker"]'
holds "those who never met" "$rated" 'pairs[("strong", "weaker")]["games"] == 0 and pairs[("strong", "weaker")]["superiority"] > 0.99'
holds "each game" "$rated" '[(game, len(table["agents"])) for game, table in sorted(all["games"].items())] == [("connectm", 2), ("tictactoe", 2)]'
said=$(exits 0 "$openseat" ratings "$dir/known" "$dir/other" --equal-games)
expect "tables by game" "$said" '^connectm$'
# Too close to say.
games even rps a b wlwlwwll
expect "what would settle it" "$(exits 0 "$openseat" ratings "$dir/even")" 'a and b: which is better is open; they are too close|b and a: which is better is open; they are too close'

# What it cannot read, it names.
cp -r "$dir/known" "$dir/torn" && printf '{"game": 99' >>"$dir/torn/games.jsonl"
expect "a torn line" "$(exits 1 "$openseat" ratings "$dir/torn")" 'torn/games.jsonl:41: the last line is cut off'
expect "no run" "$(exits 2 "$openseat" ratings "$dir/none")" 'is not the folder of a run'
expect "no such anchor" "$(exits 2 "$openseat" ratings "$dir/known" --anchor nobody)" 'these agents have: strong, weak'

# Agents that do not play a game sit out there.
said=$(exits 0 "$openseat" tournament tictactoe,netrunner --agents random:seed=1,random:seed=2,bot --pairs 1 --seed 3 --jobs 2 --out "$dir/mixed" --json | tail -1)
holds "who played what" "$("$python" -c 'import json, sys; print(json.dumps(json.loads(sys.argv[1])["ratings"]))' "$said")" \
  '[sorted(agent["agent"] for agent in all["games"][game]["agents"]) for game in ("tictactoe", "netrunner")] == [["random:seed=1", "random:seed=2"], ["bot", "random:seed=1", "random:seed=2"]]'
holds "how many games" "$("$python" -c 'import json, sys; print(json.dumps(json.loads(sys.argv[1])["ratings"]))' "$said")" \
  '(of["bot"]["games"], of["random:seed=1"]["games"]) == (4, 6)'
expect "swiss" "$(exits 2 "$openseat" tournament tictactoe,netrunner --agents random,bot --format swiss --out "$dir/swiss")" \
  'swiss needs every agent in every game, and bot does not play tictactoe'
expect "too few" "$(exits 2 "$openseat" tournament tictactoe,netrunner --agents random,bot --out "$dir/few")" \
  'tictactoe has 2 seats, but only random can play it'
[ ! -e "$dir/swiss" ] && [ ! -e "$dir/few" ] || fail "wrong usage leaves a folder"
echo "everything as expected"
