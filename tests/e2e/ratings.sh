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
ask() {  # ask JSON EXPRESSION: what Python says about `rated`, by agent `of`, and `pairs` by names
  "$python" -c 'import json, sys
rated = json.loads(sys.argv[1])
of = {agent["agent"]: agent for agent in rated["agents"]}
pairs = {(pair["a"], pair["b"]): pair for pair in rated["pairs"]}
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
holds "an anchor" "$rated" 'of["weak"]["rating"] == of["weak"]["low"] == 1000 and rated["anchor"] == "weak"'
[ "$rated" = "$(exits 0 "$openseat" ratings "$dir/known" --json --anchor weak=1000)" ] || fail "the same games, other ratings"

# Runs are rated together, over all games and for each; whoever is in between connects those who never met.
games other connectm weak weaker wwlw
games other connectm weak weaker dwww
rated=$(exits 0 "$openseat" ratings "$dir/known" "$dir/other" --json)
holds "three agents" "$rated" '[agent["agent"] for agent in rated["agents"]] == ["strong", "weak", "weaker"]'
holds "those who never met" "$rated" 'pairs[("strong", "weaker")]["games"] == 0 and pairs[("strong", "weaker")]["superiority"] > 0.99'
holds "each game" "$rated" '[(game, len(table["agents"])) for game, table in sorted(rated["games"].items())] == [("connectm", 2), ("tictactoe", 2)]'
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
  '[sorted(agent["agent"] for agent in rated["games"][game]["agents"]) for game in ("tictactoe", "netrunner")] == [["random:seed=1", "random:seed=2"], ["bot", "random:seed=1", "random:seed=2"]]'
holds "how many games" "$("$python" -c 'import json, sys; print(json.dumps(json.loads(sys.argv[1])["ratings"]))' "$said")" \
  '(of["bot"]["games"], of["random:seed=1"]["games"]) == (4, 6)'
expect "swiss" "$(exits 2 "$openseat" tournament tictactoe,netrunner --agents random,random:seed=1,bot --format swiss --out "$dir/swiss")" \
  'swiss needs every agent in every game, and bot does not play tictactoe'
expect "too few" "$(exits 2 "$openseat" tournament tictactoe,netrunner --agents random,bot --out "$dir/few")" \
  'tictactoe has 2 seats, but only random can play it'
for folder in swiss few; do
  [ ! -e "$dir/$folder" ] || fail "wrong usage leaves a folder"
done

ratings() {  # ratings NAME TEXT: that member of a tournament's --json
  "$python" -c 'import json, sys; found = json.loads(sys.argv[2])[sys.argv[1]]; print(json.dumps(found.get("ratings", found)))' "$@"
}
# A ladder: the first run makes it; a newcomer plays only until its own interval is narrow, and the others are known.
pool=(tournament rps --until-interval 150 --pairs 300 --json --pool)
said=$(exits 0 "$openseat" "${pool[@]}" "$dir/ladder.json" --agents random:seed=1,random:seed=2,random:seed=3 --seed 4 --out "$dir/first" | tail -1)
first=$(ratings pool "$said")
holds "the first run" "$first" 'len(of) == 3 and all(agent["high"] - agent["low"] < 150 for agent in of.values())'
[ "$(ratings ratings "$said")" = "$first" ] || fail "the ladder's first run is not all of it: $said"
said=$(exits 0 "$openseat" "${pool[@]}" "$dir/ladder.json" --agents random:seed=9,random:seed=2,random:seed=1 --seed 5 --out "$dir/second" | tail -1)
second=$(ratings pool "$said")
holds "the newcomer" "$second" 'len(of) == 4 and of["random:seed=9"]["high"] - of["random:seed=9"]["low"] < 160'
holds "those who are known" "$(ratings ratings "$said")" \
  'sorted(of) == ["random:seed=1", "random:seed=2", "random:seed=9"] and pairs.get(("random:seed=1", "random:seed=2"), pairs.get(("random:seed=2", "random:seed=1")))["games"] == 0'
holds "the sum" "$second" "sum(agent['games'] for agent in of.values()) == 2 * $(cat "$dir"/{first,second}/games.jsonl | wc -l)"
[ "$("$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["runs"])' "$dir/ladder.json")" = "['first', 'second']" ] ||
  fail "the ladder: $(head -c 300 "$dir/ladder.json")"
# A run that is resumed when it is over changes nothing.
cp "$dir/ladder.json" "$dir/before.json"
exits 0 "$openseat" tournament --resume "$dir/second" >/dev/null
cmp -s "$dir/ladder.json" "$dir/before.json" || fail "the ladder changed: $(diff "$dir/ladder.json" "$dir/before.json" | head -5)"
# A run that is not over is not in it yet.
said=$("$openseat" tournament rps --until-interval 50 --pairs 300 --pool "$dir/ladder.json" --agents random:seed=8,delay_ms=1 --agents random:seed=1 \
  --max-hours 0.00003 --out "$dir/third" 2>&1) && fail "a budget: exit 0"
expect "a run that is not over" "$said" 'not in the pool .*/ladder.json yet'
cmp -s "$dir/ladder.json" "$dir/before.json" || fail "a run that is not over is in the ladder"
exits 0 "$openseat" tournament --resume "$dir/third" --max-hours 1 >/dev/null
expect "when it is over" "$(cat "$dir/ladder.json")" '"third"'
expect "no interval" "$(exits 2 "$openseat" tournament rps --pool "$dir/ladder.json" --agents random,bot --out "$dir/x")" '--pool goes with --until-interval'
echo '{}' >"$dir/bad.json"
expect "no ladder" "$(exits 2 "$openseat" "${pool[@]}" "$dir/bad.json" --agents random,random:seed=1 --out "$dir/x")" 'a pool has the "format"'
mv "$dir/first" "$dir/gone"
expect "a lost run" "$(exits 2 "$openseat" "${pool[@]}" "$dir/ladder.json" --agents random,random:seed=1 --out "$dir/x")" 'first/games.jsonl'
[ ! -e "$dir/x" ] || fail "wrong usage leaves a folder"
echo "everything as expected"
