#!/usr/bin/env bash
# action.sh find|install|check: the steps of action.yml. Inputs come as INPUT_…, as for `openseat check`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# fail SENTENCE…: also adds an annotation to the run.
fail() {
  local text="$*"
  text=${text//'%'/%25}
  text=${text//$'\n'/%0A}
  echo "::error title=openseat check::$text"
  exit 2
}

# output NAME VALUE: sets an output of the step.
output() {
  local end
  end=end_$(random)
  printf '%s<<%s\n%s\n%s\n' "$1" "$end" "$2" "$end" >>"$GITHUB_OUTPUT"
}

random() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# Which program to run, and the cache key of a built one.
find_program() {
  local sum program=${INPUT_OPENSEAT:-}
  if [[ -n $program ]]; then
    program=$(command -v "$program" || true)
    [[ -n $program ]] || fail "the input openseat, '$INPUT_OPENSEAT', is not an executable program"
    output program "$(realpath "$program")"
    output key ''
    return
  fi
  sum=$(cd "$root" && find CMakeLists.txt CMakePresets.json cmake schemas scripts src web -type f -not -path '*/node_modules/*' |
    LC_ALL=C sort | xargs sha256sum | sha256sum)
  output program "$root/build/openseat"
  output key "openseat-$(uname -s)-$(uname -m)-${sum%% *}"
}

runs() { [[ -x $1 ]] && "$1" --help >/dev/null 2>&1; }

install_program() {
  local program=$root/build/openseat system
  # shellcheck source=/dev/null
  system=$(. "${OPENSEAT_OS_RELEASE:-/etc/os-release}" 2>/dev/null && echo "${ID:-} ${VERSION_ID:-}") || true
  if runs "$program"; then
    echo "openseat is already built: $program"
    return
  fi
  [[ $system == "debian 12" ]] ||
    fail "openseat is built on Debian 12, and this is '${system:-unknown}': add the line 'container: debian:12' to the job," \
      "or the action the input openseat, the path of a program that was built elsewhere"
  cd "$root"
  if [[ -x $program ]]; then
    # From the cache: only the libraries are missing.
    # shellcheck source=scripts/common.sh
    source scripts/common.sh
    # shellcheck source=scripts/packages.sh
    source scripts/packages.sh
    ensure_packages base
    ! runs "$program" || return 0
    rm "$program"
  fi
  OPENSEAT_JOBS=${OPENSEAT_JOBS:-$(nproc)} ./dev build openseat || fail "openseat could not be built: see the log of this step"
}

# Starts the game once the checker listens, in its own session, so that all its processes can be stopped.
start_game() {
  local url=''
  until [[ -n $url ]]; do
    url=$(sed -n 's/^\[[^]]*\] info: Waiting for a game at \(wss\{0,1\}:[^ ]*\)$/\1/p' "$console" | head -n 1)
    [[ -n $url ]] || kill -0 "$checker" 2>/dev/null || return 0
    [[ -n $url ]] || sleep 0.05
  done
  game_log=$(mktemp "$log_dir/game_XXXXXX.log")
  output game-log "$game_log"
  # A game that failed to start is not waited for until the timeout.
  # shellcheck disable=SC2016  # the inner shell's variables
  NEURO_SDK_WS_URL=$url setsid bash -c '
    bash -c "$INPUT_GAME" || {
      echo "The game's command ended with exit code $?"
      sleep "${INPUT_QUIET:-2}" 3
      kill -TERM "$1"
    }' game "$checker" >"$game_log" 2>&1 </dev/null &
  game=$!
}

stop_game() {
  local tries token
  [[ -n $game ]] || return 0
  kill -TERM -- "-$game" 2>/dev/null || true
  for ((tries = 0; tries < 50; ++tries)); do
    kill -0 -- "-$game" 2>/dev/null || break
    sleep 0.1
  done
  kill -KILL -- "-$game" 2>/dev/null || true
  token=$(random)
  # The game's output must not be read as commands by the runner.
  printf '::group::The end of the output of the game\n::stop-commands::%s\n' "$token"
  tail -n 40 "$game_log" | cut -c 1-2000
  printf '\n::%s::\n::endgroup::\n' "$token"
}

check() {
  local status=0
  log_dir=${INPUT_LOG_DIR:-${RUNNER_TEMP:-$PWD}}
  mkdir -p "$log_dir"
  console=$(mktemp "$log_dir/console_XXXXXX.log")
  game='' game_log=''
  "$OPENSEAT_PROGRAM" check >"$console" 2>&1 &
  checker=$!
  trap 'kill -TERM "$checker" 2>/dev/null || true' INT TERM
  tail -n +1 -s 0.1 -f --pid="$checker" "$console" &
  local follower=$!
  [[ -z ${INPUT_GAME:-} ]] || start_game
  wait "$checker" || status=$?
  # A signal ends the wait before the checker has written its files.
  while kill -0 "$checker" 2>/dev/null; do
    status=0
    wait "$checker" || status=$?
  done
  wait "$follower" || true
  stop_game
  rm -f "$console"
  if ((status > 1)); then
    output result error
    fail "the check could not be run (exit code $status): see the log of this step"
  fi
  return "$status"
}

case ${1:-} in
  find) find_program ;;
  install) install_program ;;
  check) check ;;
  *) fail "usage: action.sh find|install|check" ;;
esac
