#!/usr/bin/env bash
# openseat journal: a backup while a server runs, the output of verify and prune, a full disk, what [journal] keep
# forgets at a start, and a start that finds less than was acknowledged.
# usage: journal.sh OPENSEAT
set -euo pipefail
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

start_as data 127.0.0.1:0 --chimera-listen none
"$openseat" demo tictactoe --url "ws://127.0.0.1:$port" --games 3 --quiet >/dev/null

# While the server runs.
copied=$(exits 0 "$openseat" journal backup "$dir/backup" --data-dir "$dir/data")
expect "the journal's copy" "$copied" "$dir/backup/openseat\.db  [0-9.]+ KiB"
expect "the registry's copy" "$copied" "$dir/backup/registry\.db  [0-9.]+ KiB"
expect "the mode of the backup's directory" "$(stat -c %a "$dir/backup")" '^700$'
for place in data backup; do
  expect "verify of $place" "$(exits 0 "$openseat" journal verify --data-dir "$dir/$place")" \
    '^all is well: 1 table \(1 open\), [0-9]+ events in [0-9]+ chunks$'
  expect "the same for programs" "$(exits 0 "$openseat" journal verify --data-dir "$dir/$place" --json)" \
    '^\{"ok":true,"tables":1,.*"mark":\{"chunk":[1-9].*"findings":\[\]\}$'
done
expect "nothing is closed" "$(exits 0 "$openseat" journal prune --older-than 0s --data-dir "$dir/data")" '^nothing to forget; the journal has [0-9.]+ KiB$'

# A backup on a read-only file system.
if command -v bwrap >/dev/null && bwrap --ro-bind / / true 2>/dev/null; then
  rm -f "$dir"/backup/*-shm "$dir"/backup/*-wal # which the commands above made
  in_read_only() { bwrap --ro-bind / / --dev /dev "$@"; }
  expect "verify where nothing can be written" "$(exits 0 in_read_only "$openseat" journal verify --data-dir "$dir/backup")" '^all is well: 1 table '
  expect "replay there" "$(exits 0 in_read_only "$openseat" replay --data-dir "$dir/backup")" 'tic-tac-toe|tictactoe'
  expect "keys there" "$(exits 0 in_read_only "$openseat" key list --data-dir "$dir/backup")" '^there is no API key yet'
  cp -r "$dir/backup" "$dir/unsaved"
  echo changes >"$dir/unsaved/openseat.db-wal"
  unsaved=$(exits 1 in_read_only "$openseat" journal verify --data-dir "$dir/unsaved")
  expect "a log where nothing can be written" "$unsaved" 'its folder is read-only. Copy the folder, and use the copy'
  refuse "no damage" "$unsaved" 'DAMAGE'
else
  echo "skipped: bubblewrap is not installed, or cannot start"
fi

# A disk that is full, at the start and later. With a file system of that size at $dir/full:
on_disk_of() {  # on_disk_of KIB COMMAND…
  local size=$(($1 * 1024))
  shift
  timeout 120 bwrap --bind / / --dev /dev --proc /proc --size "$size" --tmpfs "$dir/full" "$@"
}
mkdir "$dir/full"
if command -v bwrap >/dev/null && on_disk_of 16 true 2>/dev/null; then
  for size in 16 64; do
    expect "a start on a full disk" \
      "$(exits 2 on_disk_of "$size" "$openseat" serve --listen 127.0.0.1:0 --chimera-listen none --data-dir "$dir/full/data")" \
      '^openseat: cannot open the journal ".*/full/data/openseat\.db": the disk is full \(SQLite code 13\)$'
  done
  cat >"$dir/fill.sh" <<'END'
source "$2"
start_as data 127.0.0.1:0 --chimera-listen none
cat /dev/zero >"$dir/rest" 2>/dev/null || true
says_why() {
  http POST /api/v1/matches '{"game":"tictactoe"}' >/dev/null
  [[ $(http GET /readyz) == *'the journal cannot be written now: the disk is full (SQLite code 13)'* ]]
}
wait_until "the reason" says_why
http GET /readyz
rm "$dir/rest"
is_ready() { [[ $(http GET /readyz) == *'200 OK'* ]]; }
wait_until "room" is_ready
END
  filled=$(TMPDIR=$dir/full exits 0 on_disk_of 1024 bash "$dir/fill.sh" "$openseat" "$(dirname "${BASH_SOURCE[0]}")/common.sh")
  expect "a full disk" "$filled" '^HTTP/1.1 503 '
  expect "a full disk" "$filled" '"code":"io","message":"the journal cannot be written now: the disk is full \(SQLite code 13\)"'
else
  echo "skipped: bubblewrap is not installed, cannot start, or cannot limit a file system"
fi

# Wrong usage.
expect "a backup onto itself" "$(exits 2 "$openseat" journal backup "$dir/data" --data-dir "$dir/data")" \
  'needs a directory other than'
expect "no journal" "$(exits 2 "$openseat" journal verify --data-dir "$dir/none")" 'there is no journal'
expect "no age" "$(exits 2 "$openseat" journal prune --older-than soon --data-dir "$dir/data")" 'such as 30d; got "soon"'
expect "no command" "$(exits 2 "$openseat" journal)" 'backup'
expect "its help" "$(exits 0 "$openseat" journal prune --help)" 'openseat journal prune --older-than 30d --dry-run'

# A game that runs elsewhere ends with the process, and its table is closed at the next start; then it may be deleted.
stop_as data KILL
start_as data 127.0.0.1:0 --chimera-listen none
closed() { "$openseat" journal verify --data-dir "$dir/data" | grep -qF '1 table (0 open)'; }
wait_until "the table that was left open is closed" closed
look=$(exits 0 "$openseat" journal prune --older-than 0s --dry-run --data-dir "$dir/data")
expect "what would go" "$look" '^tic-tac-toe-|^tictactoe-'
expect "how many" "$look" '^1 closed table with [0-9]+ events would be forgotten$'
expect "metrics" "$(http GET /metrics)" 'openseat_journal_tables\{state="closed"\} 1'
expect "it goes" "$(exits 0 "$openseat" journal prune --older-than 0s --data-dir "$dir/data" --json)" \
  '^\{"dry_run":false,"tables":1,'
expect "the audit log" "$(cat "$dir/data/audit.log")" \
  '"event":"admin","what":"openseat journal prune --older-than 0s: 1 table with [0-9]+ events","from":"command line","who":"user [0-9]+"\}$'
exits 0 "$openseat" journal prune --older-than 0s --data-dir "$dir/data" >/dev/null
[ "$(grep -c 'journal prune' "$dir/data/audit.log")" = 1 ] || fail "what forgot nothing, or only looked, is in the audit log"
expect "it is gone" "$(exits 0 "$openseat" journal verify --data-dir "$dir/data")" '^all is well: 0 tables'
stop_as data TERM

# [journal] keep, at a start: of a match that goes on, a story that rests and a match that is over, only the last is forgotten.
printf '[match]\nlinger = 0\n' >"$dir/linger.toml"
printf '[journal]\nkeep = 1\n[match]\nlinger = 0\n' >"$dir/keep.toml"
made() {  # made NAME ANSWER: the id that a new match or story has by this name
  grep -oE "\"$1\":\"[a-z-]+\"" <<<"$2" | head -1 | cut -d'"' -f4
}
random='{"agent":{"kind":"random"}}'
start_as kept 127.0.0.1:0 --chimera-listen none --config "$dir/linger.toml"
live=$(made match-id "$(http POST /api/v1/matches "{\"game\":\"tictactoe\",\"seats\":[{\"agent\":{\"kind\":\"external\"}},$random]}")")
over=$(made match-id "$(http POST /api/v1/matches "{\"game\":\"tictactoe\",\"seats\":[$random,$random]}")")
story=$(made id "$(http POST /api/games '{"scenario":"last-tram","player":"Ana"}')")
old() { [[ $("$openseat" journal prune --older-than 1s --dry-run --data-dir "$dir/kept") == *"$over"*"1 closed table with "* ]]; }
wait_until "the match is over and old" old
stop_as kept KILL
start_as kept 127.0.0.1:0 --chimera-listen none --config "$dir/keep.toml"
are_two() { [[ $("$openseat" journal verify --data-dir "$dir/kept") == *"2 tables (2 open)"* ]]; }
wait_until "the match that is over is forgotten" are_two
listed=$(http GET '/api/v1/tables?recorded=true')
expect "the match that goes on" "$listed" "\"id\":\"$live\""
expect "the story that rests" "$listed" "\"id\":\"$story\""
refuse "the match that was over" "$listed" "$over"
expect "the match goes on" "$(http GET "/api/v1/tables/$live")" '"status":"in-progress"'
expect "the story goes on" "$(http POST "/api/games/$story/turns" '{"text":"I take a seat."}')" '^HTTP/1.1 200 '
expect "no match" "$(http GET "/api/v1/tables/$over")" '^HTTP/1.1 404 '
stop_as kept TERM

# Less than was acknowledged.
mkdir "$dir/hurt"
cp "$dir/backup"/* "$dir/hurt"
: >"$dir/hurt/openseat.db"
expect "damage" "$(exits 1 "$openseat" journal verify --data-dir "$dir/hurt")" '^DAMAGE  the journal .* is empty, but by 20'
expect "no start" "$(exits 2 "$openseat" serve --listen 127.0.0.1:0 --data-dir "$dir/hurt")" \
  'is empty, but by 20.*to continue with what is there, delete "'
[ ! -s "$dir/hurt/openseat.db" ] || fail "a refused start wrote something"
cp "$dir/backup/openseat.db" "$dir/hurt/openseat.db"
start_as hurt 127.0.0.1:0 --chimera-listen none
stop_as hurt TERM
: >"$dir/hurt/openseat.db"
rm "$dir/hurt/openseat.db.mark"
start_as hurt 127.0.0.1:0 --chimera-listen none
expect "it goes on" "$(http GET /readyz)" '200 OK'
stop_as hurt TERM

# The same of the registry.
exits 0 "$openseat" key create --label mine --data-dir "$dir/hurt" >/dev/null
find "$dir/hurt" -name 'registry.db*' -delete
expect "the registry is missed" "$(exits 1 "$openseat" journal verify --data-dir "$dir/hurt")" '^DAMAGE  the registry .* is gone, but by 20'
for command in "serve --listen 127.0.0.1:0" "key list" "key create"; do
  # shellcheck disable=SC2086 # several words
  expect "$command without it" "$("$openseat" $command --data-dir "$dir/hurt" 2>&1 || true)" \
    'is gone, but by 20.*to continue with what is there, delete ".*/registry\.mark"'
done
[ ! -e "$dir/hurt/registry.db" ] || fail "a refused start made a registry"
rm "$dir/hurt/registry.mark"
start_as hurt 127.0.0.1:0 --chimera-listen none
exits 0 "$openseat" key create --label mine --data-dir "$dir/hurt" >/dev/null
stop_as hurt KILL
: >"$dir/hurt/registry.db-wal"
expect "its log is missed" "$(exits 1 "$openseat" journal verify --data-dir "$dir/hurt")" '^DAMAGE  the registry .* but by 20'
: >"$dir/hurt/registry.db"
expect "it is empty" "$(exits 1 "$openseat" journal verify --data-dir "$dir/hurt")" '^DAMAGE  the registry .* is empty, but by 20'
rm "$dir/hurt/registry.mark"
start_as hurt 127.0.0.1:0 --chimera-listen none
expect "it goes on without its keys" "$(exits 0 "$openseat" key list --data-dir "$dir/hurt")" '^there is no API key yet'
stop_as hurt TERM
echo "journal: all as expected"
