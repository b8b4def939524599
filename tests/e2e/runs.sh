#!/usr/bin/env bash
# Runs that are kept (docs/runs.md): what counts, kills and resumes, budgets. Nothing waits for time to pass.
# usage: runs.sh OPENSEAT MODEL_STAND_IN PYTHON
set -euo pipefail

stand_in=$2
python=$3
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
key=sk-test-4f5e6d7c8b9a0
export OPENAI_API_KEY=$key
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY OPENSEAT_CONFIG

provide() {  # provide STEPS: starts a stand-in for a provider; sets models (its port)
  coproc STAND_IN { exec "$stand_in" "$key" "$1"; }
  servers[provider]=$STAND_IN_PID
  read -r models <&"${STAND_IN[0]}"
  printf '[models.it]\nprovider = "openai"\nbase_url = "http://127.0.0.1:%s/openai"\nmodel = "m"\n%s\n' \
    "$models" 'backoff = 0.001
input_price = 1.0
output_price = 2.0' >"$dir/openseat.toml"
}
retire() {
  unset "servers[provider]"
  local pid=$STAND_IN_PID
  eval "exec ${STAND_IN[1]}>&-"
  wait "$pid"
}
lines() {  # lines FILE: how many it has
  if [ -f "$1" ]; then wc -l <"$1"; else echo 0; fi
}
ask() {  # ask FOLDER EXPRESSION: what Python says about its `games`, `decisions`, `training` and `run`
  "$python" - "$1" "$2" <<'PY'
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
def read(name):
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]
games, decisions, training = read('games.jsonl'), read('decisions.jsonl'), read('training.jsonl')
run = json.loads((folder / 'run.json').read_text())
print(eval(sys.argv[2]))
PY
}
timeless() {  # timeless FOLDER: everything in it but times
  local file
  for file in games decisions replays training; do
    echo "$file"
    sed -E 's/"(seconds|ms|latency_ms|time)":[0-9.e-]+/"\1":0/g; s/"started":"[^"]*"/"started":0/g' "$1/$file.jsonl"
  done
  "$python" -c 'import json, sys
run = json.load(open(sys.argv[1] + "/run.json"))
for name in ("started", "seconds", "parts"): del run[name]
for name in ("started", "seconds", "folder"): del run["summary"][name]
print(json.dumps(run))' "$1"
}

# A wrong key costs nobody a game: the run stops before its second game, and nothing counts.
provide 401,401,401,401,401,401
said=$("$openseat" play tictactoe --config "$dir/openseat.toml" --seats llm:it,random -n 6 --out "$dir/key" 2>&1) && fail "a wrong key: exit 0"
expect "a wrong key" "$said" 'the run was stopped, since playing on would not help: llm:it: .*401.*; to go on: openseat play --resume'
refuse "a wrong key" "$said" "$key"
expect "a wrong key" "$said" 'Tic-Tac-Toe, 0 games'
[ "$(ask "$dir/key" '[(g["result"], g["code"], g["forfeit"], g["winners"]) for g in games]')" = "[('void', 'provider', False, [])]" ] ||
  fail "a wrong key: $(cat "$dir/key/games.jsonl")"
retire
# With the right one, the run goes on, and is as if nothing had happened.
provide ""
said=$(exits 0 "$openseat" play --resume "$dir/key" --config "$dir/openseat.toml" --json | tail -1)
expect "with the right key" "$said" '"games":6,"wanted":6,"void":0'
[ "$(ask "$dir/key" '[(g["game"], g["pair"]) for g in games]')" = "[(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 2)]" ] ||
  fail "the games of the resumed run: $(cat "$dir/key/games.jsonl")"
# Each pair is one deal, played from both seats; nobody learns from names who plays.
[ "$(ask "$dir/key" 'all(games[i]["seed"] == games[i + 1]["seed"] and games[i]["seats"] == games[i + 1]["seats"][::-1] for i in (0, 2, 4))')" = True ] ||
  fail "pairs: $(cat "$dir/key/games.jsonl")"
refuse "names" "$(cat "$dir/key/replays.jsonl")" 'random [0-9]'
# Why did it lose game 1? The prompt, the answer and the choice are there.
[ "$(ask "$dir/key" 'all(d["prompt"][0]["role"] == "system" and d["answers"] and json.loads(d["choice"])["action"] == "move" for d in decisions if d["agent"] == "llm:it" and d["answers"])')" = True ] ||
  fail "decisions: $(head -3 "$dir/key/decisions.jsonl")"
[ "$(ask "$dir/key" 'len(training) == sum(1 for d in decisions if d["answers"]) > 0 and all(t["messages"][-1]["role"] == "assistant" for t in training)')" = True ] ||
  fail "training: $(head -3 "$dir/key/training.jsonl")"
expect "a replay" "$(exits 0 "$openseat" replay "$dir/key" --game 1)" 'ended'
refuse "the folder" "$(cat "$dir"/key/*)" "$key"
# Another folder, another run, no run.
expect "a folder in use" "$(exits 2 "$openseat" play rps --out "$dir/key")" 'has a run already'
expect "another run" "$(exits 2 "$openseat" play rps --resume "$dir/key" --config "$dir/openseat.toml")" 'begun with another game'
expect "no run" "$(exits 2 "$openseat" play --resume "$dir/none")" 'there is no run'
retire

# What a cap or an outage ends is void; the other games count. Those are played again.
provide ""
echo 'table_tokens = 500' >>"$dir/openseat.toml"
said=$(exits 1 "$openseat" play tictactoe --config "$dir/openseat.toml" --seats llm:it,random -n 2 --out "$dir/cap" 2>&1)
expect "a cap" "$said" '2 of 2 games are void and do not count; play them: openseat play --resume'
expect "a cap" "$said" '2  llm:it: the cap of 500 tokens'
[ "$(ask "$dir/cap" '{(g["result"], g["code"], g["forfeit"]) for g in games}')" = "{('void', 'cap', False)}" ] ||
  fail "a cap: $(cat "$dir/cap/games.jsonl")"
sed -i '/table_tokens/d' "$dir/openseat.toml"
exits 0 "$openseat" play --resume "$dir/cap" --config "$dir/openseat.toml" >/dev/null
[ "$(ask "$dir/cap" '[(g["game"], g["result"] == "void") for g in games]')" = "[(0, False), (1, False)]" ] ||
  fail "after the cap: $(cat "$dir/cap/games.jsonl")"
retire
# Somebody else's folder asks, runs and writes nothing before it is trusted: it has no mark, or that of another user.
provide ""
folder_of() {  # folder_of NAME CHANGE: a copy of cap whose games are to be played again, in which Python changed `run`
  cp -r "$dir/cap" "$dir/$1"
  : >"$dir/$1/games.jsonl"
  "$python" - "$dir/$1/run.json" "$2" <<'PY'
import json, sys
run = json.load(open(sys.argv[1]))
exec(sys.argv[2])
json.dump(run, open(sys.argv[1], 'w'))
PY
}
requests() {  # what the stand-in was asked so far
  exec 3<>"/dev/tcp/127.0.0.1/$models"
  printf 'GET /report HTTP/1.1\r\nHost: x\r\n\r\n' >&3
  sed -n '$p' <&3
  exec 3>&-
}
[ "$(stat -c %a "$dir/share/openseat/run-key")" = 600 ] || fail "others can read the key of runs"
folder_of foreign "run['model_flags'] = ['it=openai:m@http://127.0.0.1:$models/openai']; run['config'] = ''"
asked=$(requests)
said=$(exits 2 "$openseat" play --resume "$dir/foreign")
expect "a changed folder" "$said" 'has no mark of yours'
expect "whom it asks" "$said" "^  ask the model \"it\" \(openai, m\) at http://127.0.0.1:$models/openai, with OPENAI_API_KEY$"
rm "$dir/foreign/run.mark"
expect "a folder without a mark" "$(exits 2 "$openseat" play --resume "$dir/foreign")" 'has no mark of yours'
expect "another user" "$(XDG_DATA_HOME=$dir/other exits 2 "$openseat" play --resume "$dir/cap")" 'has no mark of yours'
folder_of programs "run['agents'] = ['cmd:/bin/sh,log=$dir/bashrc', 'random']; run['model_flags'] = []; run['config'] = ''"
said=$(exits 2 "$openseat" play --resume "$dir/programs")
expect "what it runs" "$said" '^  run the program "/bin/sh"$'
expect "what it writes" "$said" "^  append to the file \"$dir/bashrc\"$"
sed 's|"seats":\["[^]]*\]|"seats":["cmd:/bin/sh","random"]|' "$dir/cap/games.jsonl" >"$dir/programs/games.jsonl"
expect "a fork of its games" "$(exits 2 "$openseat" fork "$dir/programs" --game 0 --at 1)" 'only the record says that "cmd:/bin/sh" plays'
[ ! -e "$dir/bashrc" ] || fail "a stranger's folder has a file written"
[ "$(requests)" = "$asked" ] || fail "a stranger's folder has a model asked: $(requests)"
exits 0 "$openseat" play --resume "$dir/foreign" --trust >/dev/null
[ "$(requests)" != "$asked" ] || fail "a trusted folder asks nothing"
exits 0 "$openseat" play --resume "$dir/foreign" >/dev/null
expect "nothing to trust" "$(exits 2 "$openseat" play rps --trust)" '--trust is for the folder of --resume'
retire
# What a model itself does wrong is a forfeit.
provide prose,prose
exits 0 "$openseat" play tictactoe --config "$dir/openseat.toml" --seats llm:it,random --fixed-roles --out "$dir/prose" >/dev/null
[ "$(ask "$dir/prose" '[(g["result"], g["winners"], g["forfeit"], g["code"]) for g in games]')" = "[('win', [1], True, 'parse')]" ] ||
  fail "a forfeit: $(cat "$dir/prose/games.jsonl")"
retire

# 200 games with one in ten calls going wrong: nothing is void, and everything is counted.
steps=
for ((i = 0; i < 8; i++)); do
  for trouble in 500 fenced 429 prose 529 quotes wrong-schema gateway; do
    steps+=valid,valid,valid,valid,valid,valid,valid,valid,valid,$trouble,
  done
done
provide "${steps}valid"
exits 0 "$openseat" play tictactoe --config "$dir/openseat.toml" --seats llm:it,random -n 200 --jobs 4 --out "$dir/trouble" >/dev/null 2>&1
[ "$(ask "$dir/trouble" 'len(games), sum(len(d["failures"]) for d in decisions), run["summary"]["models"]["it"]["failures"], run["summary"]["models"]["it"]["mended"], sum(s["asked_again"] for g in games for s in g["by_seat"])')" = "(200, 32, 32, 16, 16)" ] ||
  fail "trouble: $(ask "$dir/trouble" 'run["summary"]')"
[ "$(ask "$dir/trouble" 'all(g["result"] in ("win", "draw") and not g["forfeit"] for g in games), sum(g["tokens"] for g in games) == run["parts"][0]["tokens"] == sum(sum(t for k, t in a["tokens"].items() if k != "reasoning") for d in decisions for a in d["answers"])')" = "(True, True)" ] ||
  fail "trouble: $(ask "$dir/trouble" 'run["summary"]')"
retire

# A budget ends the run cleanly, also when it is resumed; a larger one lets it go on.
provide ""
said=$("$openseat" play tictactoe --config "$dir/openseat.toml" --seats llm:it,random -n 8 --out "$dir/budget" --max-tokens 600 2>&1) && fail "a budget: exit 0"
expect "a budget" "$said" 'the budget of 600 tokens is reached; to go on'
[ "$(ask "$dir/budget" '600 <= sum(p["tokens"] for p in run["parts"]) < 1500 and [g["code"] for g in games] == ["cap"]')" = True ] ||
  fail "a budget: $(cat "$dir/budget/run.json")"
expect "the same budget" "$(exits 1 "$openseat" play --resume "$dir/budget" --config "$dir/openseat.toml" 2>&1)" 'the budget of 600 tokens is reached'
exits 0 "$openseat" play --resume "$dir/budget" --config "$dir/openseat.toml" --max-tokens 1000000 >/dev/null
[ "$(ask "$dir/budget" 'len(run["parts"]) == 3 and len(games) == 8 and all(g["result"] != "void" for g in games) and sum(p["tokens"] for p in run["parts"]) > sum(g["tokens"] for g in games)')" = True ] ||
  fail "after the budget: $(cat "$dir/budget/run.json")"
said=$("$openseat" play tictactoe --config "$dir/openseat.toml" --seats llm:it,random -n 8 --max-cost 0.000001 2>&1) && fail "a cost: exit 0"
expect "a cost" "$said" 'the budget of [$]1e-06 is reached|the budget of [$]0.000001 is reached'
retire

# Killed 5 times, the run leaves the same files as one that was not interrupted. A run that ends before the last kill is played again,
# with slower agents.
kill_often() {  # kill_often KILLS FOLDER COMMAND…: runs and resumes it until it ends; false if it ended before it was killed that often
  local kills=$1 folder=$2 kill before
  shift 2
  "$openseat" "$@" --out "$folder" >/dev/null 2>&1 &
  servers[killed]=$!
  for ((kill = 1; kill <= kills; kill++)); do
    before=$(lines "$folder/games.jsonl")
    grew() { [ "$(lines "$folder/games.jsonl")" -gt $((before + 3)) ] || ! kill -0 "${servers[killed]}" 2>/dev/null; }
    wait_until "kill $kill of $1" grew
    if ! kill -9 "${servers[killed]}" 2>/dev/null; then
      wait "${servers[killed]}" || fail "$1 before kill $kill: failed"
      unset "servers[killed]"
      return 1
    fi
    wait "${servers[killed]}" 2>/dev/null || true
    "$openseat" "$1" --resume "$folder" >/dev/null 2>&1 &
    servers[killed]=$!
  done
  wait "${servers[killed]}" || fail "the last resume of $1 failed"
  unset "servers[killed]"
}
for delay in 0.5 3 20; do
  rm -rf "$dir/whole" "$dir/killed"
  run=(play connectm --seats "random:delay_ms=$delay,random:seed=5,delay_ms=$delay" -n 120 --seed 12 --jobs 2)
  exits 0 "$openseat" "${run[@]}" --out "$dir/whole" >/dev/null
  if kill_often 5 "$dir/killed" "${run[@]}"; then break; fi
  [ "$delay" != 20 ] || fail "the run was always over before kill 5"
done
# While another process has the folder, nobody else may write there.
exec 9>>"$dir/killed/lock"
flock 9
expect "two processes" "$(exits 2 "$openseat" play --resume "$dir/killed")" 'another openseat writes to the run'
exec 9>&-
diff <(timeless "$dir/whole") <(timeless "$dir/killed") >"$dir/diff" || fail "kills changed the run: $(head -5 "$dir/diff")"
[ "$(ask "$dir/killed" 'len(run["parts"])')" = 6 ] || fail "the parts: $(cat "$dir/killed/run.json")"

# So does a tournament whose next games depend on the results so far, killed 20 times.
for delay in 0.5 3 20; do
  rm -rf "$dir/rated" "$dir/rekilled"
  tournament=(tournament "rps,tictactoe" --agents "random:delay_ms=$delay" --agents "random:seed=1,delay_ms=$delay"
    --agents "random:seed=2,delay_ms=$delay" --pairs 60 --until-interval 60 --seed 3 --jobs 3)
  said=$(exits 0 "$openseat" "${tournament[@]}" --out "$dir/rated")
  expect "the table" "$said" "random:seed=2,delay_ms=${delay/./\\.} +[0-9]+ +[0-9]+ to [0-9]+"
  if kill_often 20 "$dir/rekilled" "${tournament[@]}"; then break; fi
  [ "$delay" != 20 ] || fail "the tournament was always over before kill 20"
done
diff <(timeless "$dir/rated") <(timeless "$dir/rekilled") >"$dir/diff" || fail "kills changed the tournament: $(head -5 "$dir/diff")"
diff <(grep -v latency_ms "$dir/rated/ratings.json") <(grep -v latency_ms "$dir/rekilled/ratings.json") >"$dir/diff" ||
  fail "kills changed the ratings: $(head -5 "$dir/diff")"
expect "the wrong command" "$(exits 2 "$openseat" play --resume "$dir/rated")" 'openseat tournament --resume'
expect "other options" "$(exits 2 "$openseat" tournament --resume "$dir/rated" --options '{"rounds": 3}')" 'begun with another --options'
expect "an agent twice" "$(exits 2 "$openseat" tournament rps --agents random,random --out "$dir/twice")" '"random" is given twice'
expect "an agent of another game" "$(exits 2 "$openseat" tournament rps --agents random,bot --out "$dir/bot")" 'plays only netrunner'
[ ! -e "$dir/bot" ] || fail "wrong usage leaves a folder"

# A torn last line is dropped; anything else is an error that says where.
head -c -20 "$dir/whole/games.jsonl" >"$dir/torn" && cp "$dir/torn" "$dir/whole/games.jsonl"
exits 0 "$openseat" play --resume "$dir/whole" >/dev/null
diff <(timeless "$dir/whole") <(timeless "$dir/killed") >"$dir/diff" || fail "a torn line changed the run: $(head -5 "$dir/diff")"
sed -i '3s/"result":"[a-z]*"/"result":"lost"/' "$dir/whole/games.jsonl"
expect "a bad line" "$(exits 2 "$openseat" play --resume "$dir/whole")" 'games.jsonl:3: .*"result"'

# Wrong usage.
expect "a model without a seat" "$(exits 2 "$openseat" play tictactoe --model a=openai:m@http://127.0.0.1:1/v1)" 'add --seats, as in --seats llm:a,random'
expect "no game" "$(exits 2 "$openseat" play)" 'give the game'
expect "nobody can join" "$(exits 2 "$openseat" play rps --seats external,random)" 'nobody can join here'
expect "a half pair" "$(exits 0 "$openseat" play rps -n 3)" 'the last pair is half'
refuse "whole pairs" "$(exits 0 "$openseat" play rps -n 4)" 'half'
echo "everything as expected"
