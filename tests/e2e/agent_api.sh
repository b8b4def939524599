#!/usr/bin/env bash
# The example's webhook agent plays Netrunner to the end: against the bot on either side, and against another instance of
# itself, only through webhooks and REST. The games are in the journal, and the webhooks' key is not.
# usage: agent_api.sh OPENSEAT PYTHON
set -euo pipefail
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
python=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
example=$root/examples/webhook_agent

lines=$(wc -l <"$example/agent.py")
[ "$lines" -le 180 ] || fail "the example has $lines lines"

start_as host 127.0.0.1:0 --chimera-listen none
for side in corp runner; do
  played=$(exits 0 timeout 100 "$python" "$example/agent.py" --server "http://127.0.0.1:$port" --side "$side" --seed 3)
  expect "the game against the bot as $side" "$played" '^winner: (Corp|Runner) \((Agenda points|Flatline|Decked)\)'
done

# As from another machine: the agent only has an account's key, and the operator makes the match.
http POST /api/v1/accounts '{"name":"ann"}' >/dev/null
key=$("$openseat" key create --account ann --data-dir "$dir/host" 2>"$dir/key.err")
expect "where the key is" "$(cat "$dir/key.err")" "^This is key k-[a-z0-9]+, in $dir/host\\. It is not shown again"
timeout 200 "$python" "$example/agent.py" --server "http://127.0.0.1:$port" --key "$key" --secret s3cret --seed 3 >"$dir/ann.out" 2>&1 &
ann=$!
waits() { grep -q '^waiting for a match that calls http' "$dir/ann.out"; }
wait_until "the agent's being ready" waits
url=$(sed -nE 's|.* calls (http://[^ ]+) .*|\1|p' "$dir/ann.out")
made=$(http POST /api/v1/matches "{\"game\":\"netrunner\",\"seats\":[{\"role\":\"runner\",\"name\":\"Ann\",\"agent\":{\"kind\":\"webhook\",\"url\":\"$url\",\"key\":\"s3cret\",\"account\":\"ann\"}},{\"role\":\"corp\",\"agent\":{\"kind\":\"bot\"}}]}")
expect "a match of the account" "$made" '^HTTP/1.1 201'
wait "$ann" || fail "the account's agent: $(cat "$dir/ann.out")"
expect "the account's game" "$(cat "$dir/ann.out")" '^winner: (Corp|Runner) \('
expect "no server" "$(exits 1 timeout 20 "$python" "$example/agent.py" --server http://127.0.0.1:1)" '^cannot reach http://127.0.0.1:1 .*is .openseat serve. running there'

both=$(exits 0 timeout 200 "$python" "$root/tests/agent_api/play_both.py" "$example" "http://127.0.0.1:$port" 2)
expect "the games of two" "$both" '^[a-z0-9-]+ (Corp|Runner) [0-9a-f]{32}$'
while read -r id winner secret; do
  listed=$(http GET "/api/v1/tables/$id/seats/0/webhooks" "")
  expect "the deliveries of $id" "$listed" '"event":"game-ended"'
  refuse "the deliveries of $id" "$listed" '"dropped"'
  transcript=$(http GET "/api/v1/tables/$id/transcript?viewer=all&limit=10000" "")
  expect "the transcript of $id" "$transcript" '"kind":"webhook"'
  refuse "the transcript of $id" "$transcript" "$secret"
  replayed=$(exits 0 "$openseat" replay "$id" --as spectator --data-dir "$dir/host")
  expect "the replay of $id" "$replayed" "${winner,,} wins: "
  ! grep -q "$secret" "$dir"/host/openseat.db* || fail "the webhook's key is in the journal"
  judged=$(exits 0 timeout 100 "$openseat" analyze "$id" --iterations 16 --data-dir "$dir/host")
  expect "the agents of $id" "$judged" '^webhook +[0-9]+ '
  refuse "hashes of $id" "$judged" 'sha256'
  echo "$id: $(wc -l <<<"$replayed") lines"
done <<<"$both"

# A game that runs elsewhere can be played through webhooks too.
start_as relay 127.0.0.1:0 --chimera-listen none --agent external
"$openseat" demo tictactoe --url "ws://127.0.0.1:$port" --games 100 --pace 0 --quiet >"$dir/demo.out" 2>"$dir/demo.log" &
servers[demo]=$!
played=$(exits 0 timeout 60 "$python" "$root/tests/agent_api/play_remote.py" "$example" "http://127.0.0.1:$port")
expect "the game from elsewhere" "$played" '^moves: 12$'
stop_as demo TERM
stop_as relay TERM
port=$(port_of host)

# Refusals before any endpoint is reached also have the document's form.
expect "a foreign name" "$(http GET /game/state "" "" evil.example)" '403 Forbidden|^\{"message":"this server is not reached as'
refuse "a foreign name" "$(http GET /game/state "" "" evil.example)" '"error"'
expect "a wrong method" "$(http DELETE /game/state)" '^HTTP/1.1 404'

# An agent that cannot be seated leaves nothing behind.
expect "no such table" "$(http POST /api/v1/tables/nowhere/seats/0/agent '{"kind":"webhook","url":"http://127.0.0.1:1/"}')" '404 Not Found'
targets() { "$python" -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM webhooks").fetchone()[0])' "$dir/host/registry.db"; }
none_left() { [ "$(targets)" = 0 ]; }
wait_until "the targets' being forgotten" none_left

# Which addresses are allowed.
create() { http POST /api/v1/matches "{\"game\":\"netrunner\",\"seats\":[{\"agent\":{\"kind\":\"webhook\",\"url\":\"$1\"}}]}"; }
expect "http beyond this machine" "$(create http://agent.example/)" '400 .*|allow-http-webhooks'
expect "no URL" "$(create nonsense)" 'begins with https'
expect "loopback" "$(create http://127.0.0.1:1/)" '"api-key":"'
stop_as host TERM
start_as host 127.0.0.1:0 --chimera-listen none --allow-http-webhooks
expect "http where it is allowed" "$(create http://agent.example/)" '"api-key":"'
echo "everything as expected"
