#!/usr/bin/env bash
# The server and its service manager: what systemd is told while the program starts, runs, reloads and stops.
# usage: service.sh OPENSEAT PYTHON
set -euo pipefail
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
python=$2

# A manager that records what it gets, one line per datagram.
"$python" -u - "$dir/notify" >"$dir/heard" 2>"$dir/manager.log" <<'END' &
import socket, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(sys.argv[1])
while True:
    print(manager.recv(4096).decode().replace("\n", " "))
END
servers[manager]=$!
wait_until "the manager" test -S "$dir/notify"
heard() { grep -qE -- "$1" "$dir/heard"; }
heard_times() { (($(grep -cE -- "$1" "$dir/heard") >= $2)); }

export NOTIFY_SOCKET=$dir/notify WATCHDOG_USEC=400000
start_as data 127.0.0.1:0 --chimera-listen none --shards 2
wait_until "the first word" test -s "$dir/heard"
[ "$(head -1 "$dir/heard")" = READY=1 ] || fail "the first word is not READY=1: $(head -1 "$dir/heard")"
expect "health, once it is ready" "$(http GET /healthz "")" '200 OK'
wait_until "three signs of life" heard_times '^WATCHDOG=1$' 3

kill -HUP "${servers[data]}"
wait_until "a reload" heard '^RELOADING=1 MONOTONIC_USEC=[0-9]+$'
wait_until "its end" heard_times '^READY=1$' 2

stop_as data TERM
wait_until "the last word" heard '^STOPPING=1$'

# Without a manager, or with something that is not one, the server works just the same.
NOTIFY_SOCKET=$dir/nobody start_as alone 127.0.0.1:0 --chimera-listen none
expect "health without a manager" "$(http GET /healthz "")" '200 OK'
stop_as alone TERM
NOTIFY_SOCKET=vsock:2:1 start_as odd 127.0.0.1:0 --chimera-listen none
expect "health with an odd one" "$(http GET /healthz "")" '200 OK'
wait_until "a warning" grep -q 'NOTIFY_SOCKET must be' "$dir/odd.log"
stop_as odd TERM
