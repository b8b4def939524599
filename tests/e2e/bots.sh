#!/usr/bin/env bash
# A contest between thirty programs in five languages, four of them hostile: it ends by itself, the hostile ones forfeit, and nobody
# else does. Nothing waits for time to pass but the limit of the bots that never answer.
# usage: bots.sh OPENSEAT PYTHON [FORMAT]     FORMAT of `openseat tournament`: swiss; round-robin takes minutes (./dev soak bots)
set -euo pipefail

python=$2
format=${3:-swiss}
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if ! [ -x /usr/bin/bwrap ]; then
  expect "the error without bubblewrap" "$("$openseat" play tictactoe --seats "cmd:$0,random" 2>&1 || true)" 'apt install bubblewrap'
  echo "skipped: bubblewrap is not installed"
  exit 0
fi

bots=$dir/bots
agents=()
# bot NAME [OPTION…]: the program of one author, in a folder of its own, is the standard input.
bot() {
  local options
  options=$(printf ',%s' "${@:2}")
  mkdir -p "$bots/$1"
  cat >"$bots/$1/bot"
  chmod +x "$bots/$1/bot"
  agents+=("cmd:program=$bots/$1/bot,memory_mb=4096${options%,}")
}

# Each language plays in five ways. Honest bots have all the time that a slow machine needs.
cat >"$dir/bot.cc" <<'BOT'
#include <fstream>
#include <iostream>
#include <random>
#include <string>
int main() {
  std::string style, line;
  std::ifstream("/bot/style") >> style;
  std::random_device random;
  while (std::getline(std::cin, line)) {
    if (line.find("\"type\":\"choose\"") == std::string::npos) continue;
    std::size_t count = 0;
    for (std::size_t at = line.find("\"id\":"); at != std::string::npos; at = line.find("\"id\":", at + 1)) ++count;
    const std::size_t choice = style == "last" ? count - 1 : style == "middle" ? count / 2 : style == "second" ? (count > 1) : style == "random" ? random() % count : 0;
    std::cout << "{\"choice\":" << choice << "}" << std::endl;
  }
}
BOT
c++ -O1 -o "$dir/cpp_bot" "$dir/bot.cc"
for style in first last middle second random; do
  bot "cpp_$style" move_s=600 <"$dir/cpp_bot"
  echo "$style" >"$bots/cpp_$style/style"
  bot "python_$style" move_s=600 <<BOT
#!/usr/bin/python3
import json, random, sys
style = {"first": lambda c: c[0], "last": lambda c: c[-1], "middle": lambda c: c[len(c) // 2], "second": lambda c: c[:2][-1], "random": random.choice}["$style"]
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "choose":
        print(json.dumps({"choice": style(asked["choices"])["id"]}), flush=True)
BOT
  bot "javascript_$style" move_s=600 <<BOT
#!/usr/bin/node
const style = { first: () => 0, last: (n) => n - 1, middle: (n) => n >> 1, second: (n) => Math.min(1, n - 1), random: (n) => Math.floor(Math.random() * n) }.$style;
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const asked = JSON.parse(line);
  if (asked.type === 'choose') console.log(JSON.stringify({ choice: asked.choices[style(asked.choices.length)].id }));
});
BOT
  bot "perl_$style" move_s=600 <<BOT
#!/usr/bin/perl
\$| = 1;
while (<STDIN>) {
  next unless /"type":"choose"/;
  my \$n = () = /"id":/g;
  my %style = (first => 0, last => \$n - 1, middle => int(\$n / 2), second => (\$n > 1 ? 1 : 0), random => int(rand(\$n)));
  print qq({"choice": \$style{$style}}\n);
}
BOT
  bot "bash_$style" move_s=600 <<BOT
#!/bin/bash
while read -r line; do
  [[ \$line == *'"type":"choose"'* ]] || continue
  ids=\${line//'"id":'/$'\x01'} && ids=\${ids//[!$'\x01']/} && n=\${#ids}
  case $style in first) echo 0 ;; last) echo \$((n - 1)) ;; middle) echo \$((n / 2)) ;; second) echo \$((n > 1)) ;; random) echo \$((RANDOM % n)) ;; esac
done
BOT
done
bot named move_s=600 <<'BOT'
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
    open("/bot/bot", "w")
    sys.stderr.write("WRITES\n")
except OSError:
    pass
sys.stdin.readline()
sys.exit(3)
BOT
bot never_ends move_s=0.2 <<'BOT'
#!/bin/bash
while :; do :; done
BOT
bot floods <<'BOT'
#!/usr/bin/perl
print "x" x 100000 while 1;
BOT
# As many processes as it may have; root may have more, so it stops by itself.
bot forks move_s=0.2 <<'BOT'
#!/usr/bin/python3
import os, time
for _ in range(200):
    if os.fork() == 0:
        break
time.sleep(1000)
BOT
hostile="crashes never_ends floods forks"

# Agents are split at commas, and an option belongs to the agent before it.
all=$(IFS=,; echo "${agents[*]}")
"$openseat" tournament tictactoe --agents "$all" --format "$format" --pairs 1 --jobs 4 --seed 1 --out "$dir/run" >"$dir/tournament.log" 2>&1 ||
  fail "the tournament ended with $?"

gone() { ! pgrep -f -- "--ro-bind $bots" >/dev/null; }
wait_until "the end of the bots" gone
said=$("$python" - "$dir/run" "$format" "$hostile" <<'PY'
import collections, csv, json, math, pathlib, re, sys
run, hostile = pathlib.Path(sys.argv[1]), sys.argv[3].split()
def author(name):
    return re.search(r"bots/(\w+)/", name).group(1)
games = [json.loads(line) for line in open(run / "games.jsonl")]
rows = {author(row["agent"]): row for row in csv.DictReader(open(run / "ratings.csv", newline=""))}
count = len(rows)
expected = count * (count - 1) if sys.argv[2] == "round-robin" else math.ceil(math.log2(count)) * count
forfeits = collections.Counter(author(game["seats"][game["culprit"]]) for game in games if game["forfeit"])
print(json.dumps({
    "bots": count,
    "logs": len(list((run / "logs").iterdir())),
    "all played": len(games) == expected,
    "void": [game["cause"] for game in games if game["result"] == "void"],
    "wrong": [game["cause"] for game in games if game["forfeit"] and author(game["seats"][game["culprit"]]) not in hostile],
    "without CPU time": [name for name, row in rows.items() if name not in hostile and not row["cpu_ms"]],
    "forfeits": forfeits,
}))
PY
)
echo "$said"
expect "the bots" "$said" '"bots": 30, "logs": 30, "all played": true'
expect "games that are void" "$said" '"void": \[\]'
expect "forfeits of honest bots" "$said" '"wrong": \[\]'
expect "CPU time of each bot" "$said" '"without CPU time": \[\]'
for name in $hostile; do expect "a hostile bot" "$said" "\"$name\": [1-9]"; done
expect "the table" "$(cat "$dir/tournament.log")" 'latency +cpu$'
crashed=$(cat "$dir"/run/logs/*-crashes-bot.log)
expect "the log of a bot" "$crashed" 'no network'
refuse "what a bot sees" "$crashed" 'NETWORK|SEES|WRITES'
expect "a program that is missing" "$(exits 2 "$openseat" play tictactoe --seats cmd:/no/such/bot,random)" 'is not one'
echo "bots: passed"
