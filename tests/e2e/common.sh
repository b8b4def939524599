# Sourced by the end-to-end tests: servers that run during the test, and functions that check their answers.
# shellcheck shell=bash
set -euo pipefail

openseat=$1
dir=$(mktemp -d)
# What the program keeps for its user, such as the key of runs.
export XDG_DATA_HOME=$dir/share
unset OPENSEAT_DATA_DIR
declare -A servers=() # process by name
cleanup() {
  local name
  for name in "${!servers[@]}"; do kill -9 "${servers[$name]}" 2>/dev/null || true; done
  # Whatever else runs: a stand-in would be waited for without end.
  jobs -p | xargs -r kill -9 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$dir"
}
trap cleanup EXIT

fail() {
  local log
  {
    echo "FAILED: $*"
    for log in "$dir"/*.log; do
      [ ! -f "$log" ] || { echo "--- $log" && tail -20 "$log"; }
    done
  } >&2 # it may be called where the output is taken
  exit 1
}
expect() {  # expect WHAT TEXT PATTERN
  grep -qE -- "$3" <<<"$2" || fail "$1: expected /$3/ in: $2"
}
refuse() {  # refuse WHAT TEXT PATTERN
  ! grep -qE -- "$3" <<<"$2" || fail "$1: did not expect /$3/ in: $2"
}
exits() {  # exits CODE COMMAND…: its output, if it exits so
  local code=$1 output got=0
  shift
  output=$("$@" 2>&1) || got=$?
  [ "$got" = "$code" ] || fail "$* exited with $got, not $code: $output"
  echo "$output"
}
wait_until() {  # wait_until WHAT COMMAND…: until the command succeeds
  local what=$1 tries=0
  shift
  until "$@"; do
    tries=$((tries + 1))
    [ "$tries" -lt 400 ] || fail "$what: timed out"
    sleep 0.05
  done
}
port_of() {  # port_of NAME: the port that the server of that name printed
  sed -nE 's|^Openseat .* http://127\.0\.0\.1:([0-9]+)$|\1|p' "$dir/$1.out"
}
printed() {  # printed NAME: whether it has printed where it listens
  kill -0 "${servers[$1]}" 2>/dev/null || fail "the server $1 did not start"
  [ -n "$(port_of "$1")" ]
}
start_as() {  # start_as NAME ADDRESS ARGUMENTS…: starts a server with its own data; sets port
  local name=$1 address=$2
  shift 2
  # A file, not a pipe, since only its first lines are read while the server runs on.
  : >"$dir/$name.out"
  "$openseat" serve --listen "$address" --data-dir "$dir/$name" "$@" >"$dir/$name.out" 2>"$dir/$name.log" &
  servers[$name]=$!
  wait_until "the first words of $name" printed "$name"
  port=$(port_of "$name")
}
stop_as() {  # stop_as NAME SIGNAL
  kill "-$2" "${servers[$1]}"
  wait "${servers[$1]}" 2>/dev/null || true
  unset "servers[$1]"
}
http() {  # http METHOD PATH [BODY] [HEADER] [HOST]: the answer of the server at port, including headers
  local body=${3:-}
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf '%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Length: %d\r\n%s\r\n%s' \
    "$1" "$2" "${5:-127.0.0.1:$port}" "${#body}" "${4:+$4$'\r\n'}" "$body" >&3
  cat <&3
  exec 3>&-
}
