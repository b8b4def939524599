#!/usr/bin/env bash
# A contest between programs in five languages, three of them hostile: it ends by itself, the hostile ones forfeit, and nobody else
# does. Nothing waits for time to pass but the limit of the bot that never answers.
# usage: bots.sh OPENSEAT PYTHON
set -euo pipefail

python=$2
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if ! [ -x /usr/bin/bwrap ]; then
  expect "the error without bubblewrap" "$("$openseat" play tictactoe --seats "cmd:$0,random" 2>&1 || true)" 'apt install bubblewrap'
  echo "skipped: bubblewrap is not installed"
  exit 0
fi

bots=$dir/bots
mkdir "$bots"
bot() { # bot NAME: its program is the standard input
  cat >"$bots/$1"
  chmod +x "$bots/$1"
}
bot python <<'BOT'
#!/usr/bin/python3
import json, random, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "choose":
        print(json.dumps({"choice": random.choice(asked["choices"])["id"]}), flush=True)
BOT
bot named <<'BOT'
#!/usr/bin/python3
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "choose":
        # The first answer is not legal; the second, after the reason, is.
        last = asked["choices"][-1]
        answer = {"action": last["action"], "data": last.get("data")} if asked["attempt"] > 1 else {"choice": 999}
        assert asked["attempt"] == 1 or "999" in asked["refused"], asked
        print(json.dumps(answer), flush=True)
BOT
bot perl <<'BOT'
#!/usr/bin/perl
$| = 1;
while (<STDIN>) { print qq({"choice": 0}\n) if /"type":"choose"/; }
BOT
bot shell <<'BOT'
#!/bin/sh
while read -r line; do case $line in *'"type":"choose"'*) echo 0 ;; esac; done
BOT
languages=(python named perl shell)
if [ -x /usr/bin/node ]; then
  bot javascript <<'BOT'
#!/usr/bin/node
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const asked = JSON.parse(line);
  if (asked.type === 'choose') console.log(JSON.stringify({ choice: asked.choices.at(-1).id }));
});
BOT
  languages+=(javascript)
fi
# Looks for what it must not have, says so on its standard error, and crashes.
bot crashes <<'BOT'
#!/usr/bin/python3
import os, socket, sys
try:
    socket.create_connection(("127.0.0.1", 22), timeout=1)
    sys.stderr.write("NETWORK\n")
except OSError as error:
    sys.stderr.write(f"no network: {error}\n")
for path in ("/etc/passwd", "/root", "/home", "/proc/1/root/etc/passwd"):
    if os.path.exists(path):
        sys.stderr.write(f"SEES {path}\n")
try:
    open("/bot/python", "w")
    sys.stderr.write("WRITES\n")
except OSError:
    pass
sys.stdin.readline()
sys.exit(3)
BOT
bot silent <<'BOT'
#!/bin/sh
while :; do :; done
BOT
bot floods <<'BOT'
#!/usr/bin/python3
import sys
while True:
    sys.stdout.write("x" * 100000)
BOT

agents=random:seed=1
for name in "${languages[@]}"; do agents+=",cmd:program=$bots/$name,memory_mb=4096"; done
agents+=",cmd:program=$bots/crashes,log=$dir/crashes.err,cmd:program=$bots/silent,move_s=0.2,cmd:program=$bots/floods"
"$openseat" tournament tictactoe --agents "$agents" --pairs 1 --jobs 4 --seed 1 --out "$dir/run" >"$dir/tournament.log" 2>&1 ||
  fail "the tournament ended with $?"

gone() { ! pgrep -f -- "--ro-bind $bots" >/dev/null; }
wait_until "the end of the bots" gone
said=$("$python" - "$dir/run/games.jsonl" <<'PY'
import collections, json, re, sys
games = [json.loads(line) for line in open(sys.argv[1])]
void = [game["cause"] for game in games if game["result"] == "void"]
forfeits = collections.Counter()
wrong = []
for game in games:
    if game.get("forfeit"):
        name = re.search(r"bots/(\w+)", game["seats"][game["culprit"]]).group(1)
        forfeits[name] += 1
        if name not in ("crashes", "silent", "floods"):
            wrong.append(game["cause"])
names = {name for game in games for name in game["seats"]}
print(json.dumps({"games": len(games), "expected": len(names) * (len(names) - 1), "void": void, "wrong": wrong, "forfeits": forfeits}))
PY
)
echo "$said"
expect "games that are void" "$said" '"void": \[\]'
expect "forfeits of honest bots" "$said" '"wrong": \[\]'
for name in crashes silent floods; do expect "a hostile bot" "$said" "\"$name\": [1-9]"; done
"$python" -c 'import json, sys; said = json.loads(sys.argv[1]); assert said["games"] == said["expected"], said' "$said"
expect "the log of a bot" "$(cat "$dir/crashes.err")" 'no network'
refuse "what a bot sees" "$(cat "$dir/crashes.err")" 'NETWORK|SEES|WRITES'
expect "a program that is missing" "$(exits 2 "$openseat" play tictactoe --seats cmd:/no/such/bot,random)" 'is not one'
echo "bots: passed"
