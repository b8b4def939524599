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

# The C library version that the archives need.
GLIBC=2.36

# Fails if no archive runs here, with one sentence that says what to do instead.
refuse_machine() {
  local machine=${RUNNER_ARCH:-$(uname -m)} glibc
  case ${RUNNER_OS:-$(uname -s)} in
    Linux) ;;
    Windows) fail "openseat runs on Linux, but this runner is Windows: check the game in a job with 'runs-on: ubuntu-latest', its build passed on as an artifact" ;;
    *) fail "openseat runs on Linux, but this runner is ${RUNNER_OS:-$(uname -s)}: check the game in a job with 'runs-on: ubuntu-latest', its build passed on as an artifact" ;;
  esac
  case $machine in
    X64 | x86_64) ;;
    *) fail "openseat is released for x86-64, but this runner is $machine: use 'runs-on: ubuntu-latest', or build it with 'container: debian:12' and the input 'build: true'" ;;
  esac
  glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || glibc='no glibc'
  glibc=${glibc#glibc }
  [[ $(printf '%s\n' "$GLIBC" "$glibc" | sort -V | head -n 1) == "$GLIBC" && $glibc == [0-9]* ]] ||
    fail "openseat needs glibc $GLIBC or newer, but this system has $glibc: use 'runs-on: ubuntu-24.04' or 'container: debian:12'"
}

# The archive to download, and its folder. CMakeLists.txt has this action's version and the project's repository.
name_archive() {
  version=${INPUT_VERSION:-$(sed -nE 's/^project\(openseat VERSION ([0-9.]+) .*/\1/p' "$root/CMakeLists.txt")}
  version=${version#v}
  [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "the input version must be a version such as 0.1.0; got '$version'"
  [[ -z ${INPUT_SHA256:-} || $INPUT_SHA256 =~ ^[0-9a-f]{64}$ ]] || fail "the input sha256 must be 64 hexadecimal digits; got '$INPUT_SHA256'"
  archive=openseat-$version-linux-x86_64
  folder=${RUNNER_TOOL_CACHE:-${RUNNER_TEMP:-/tmp}}/openseat/$version
}

building() { [[ ${INPUT_BUILD:-} == true ]]; }

# Which program to run, and the cache key of a downloaded or built one.
find_program() {
  local sum program=${INPUT_OPENSEAT:-} version archive folder
  if [[ -n $program ]]; then
    program=$(command -v "$program" || true)
    [[ -n $program ]] || fail "the input openseat, '$INPUT_OPENSEAT', is not an executable program"
    output program "$(realpath "$program")"
    output cached ''
    output key ''
    return
  fi
  case ${INPUT_BUILD:-} in
    true)
      sum=$(cd "$root" && find CMakeLists.txt CMakePresets.json cmake schemas scripts src web -type f -not -path '*/node_modules/*' |
        LC_ALL=C sort | xargs sha256sum | sha256sum)
      output program "$root/build/openseat"
      output cached "$root/build/openseat"
      output key "openseat-built-$(uname -s)-$(uname -m)-${sum%% *}"
      return
      ;;
    '' | false) ;;
    *) fail "the input build is true or false; got '$INPUT_BUILD'" ;;
  esac
  refuse_machine
  name_archive
  output program "$folder/$archive/bin/openseat"
  # The archive, not what is unpacked of it: its hash is checked each time.
  output cached "$folder/download"
  output key "openseat-$version-linux-x86_64${INPUT_SHA256:+-$INPUT_SHA256}"
}

runs() { [[ -x $1 ]] && "$1" --help >/dev/null 2>&1; }

# download ADDRESS FILE
download() {
  echo "Downloading $1"
  if command -v curl >/dev/null; then
    curl -fsSL --retry 3 --connect-timeout 20 --max-time 300 -o "$2.part" "$1" || fail "$1 could not be downloaded (curl: exit code $?)"
  elif command -v wget >/dev/null; then
    wget -q --tries=3 --timeout=60 -O "$2.part" "$1" || fail "$1 could not be downloaded (wget: exit code $?)"
  else
    fail "openseat is downloaded with curl or wget, and this system has neither: install one of them in an earlier step"
  fi
  mv "$2.part" "$2"
}

download_program() {
  local version archive folder releases expected found
  name_archive
  releases=${INPUT_RELEASES:-$(sed -nE 's/.*HOMEPAGE_URL "([^"]+)".*/\1/p' "$root/CMakeLists.txt")/releases/download}
  mkdir -p "$folder/download"
  cd "$folder/download"
  [[ -f $archive.tar.gz ]] || download "$releases/v$version/$archive.tar.gz" "$archive.tar.gz"
  expected=${INPUT_SHA256:-}
  if [[ -z $expected ]]; then
    [[ -f SHA256SUMS ]] || download "$releases/v$version/SHA256SUMS" SHA256SUMS
    expected=$(awk -v name="$archive.tar.gz" '$2 == name { print $1 }' SHA256SUMS)
    [[ -n $expected ]] || fail "the SHA256SUMS of version $version do not name $archive.tar.gz"
  fi
  found=$(sha256sum "$archive.tar.gz")
  found=${found%% *}
  if [[ $found != "$expected" ]]; then
    rm -f "$archive.tar.gz" SHA256SUMS
    fail "$archive.tar.gz is not what was released: its SHA-256 is $found, expected $expected"
  fi
  rm -rf "${folder:?}/$archive"
  tar -C "$folder" -xzf "$archive.tar.gz"
  runs "$folder/$archive/bin/openseat" || fail "openseat $version does not run on this system: $("$folder/$archive/bin/openseat" --help 2>&1 | head -n 1)"
  echo "openseat $version: $folder/$archive/bin/openseat"
}

build_program() {
  local program=$root/build/openseat system
  # shellcheck source=/dev/null
  system=$(. "${OPENSEAT_OS_RELEASE:-/etc/os-release}" 2>/dev/null && echo "${ID:-} ${VERSION_ID:-}") || true
  if runs "$program"; then
    echo "openseat is already built: $program"
    return
  fi
  [[ $system == "debian 12" ]] ||
    fail "openseat is built on Debian 12, but this is '${system:-unknown}': add the line 'container: debian:12' to the job," \
      "or leave out the input build"
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
      echo "The command of the game ended with exit code $?" | tee "$2"
      sleep "${INPUT_QUIET:-2}" 3
      kill -TERM "$1"
    }' game "$checker" "$game_status" >"$game_log" 2>&1 </dev/null &
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
  game_status=$(mktemp "$log_dir/status_XXXXXX.log")
  "$OPENSEAT_PROGRAM" check --game-status "$game_status" >"$console" 2>&1 &
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
  rm -f "$console" "$game_status"
  if ((status > 1)); then
    output result error
    fail "the check could not be run (exit code $status): see the log of this step"
  fi
  return "$status"
}

case ${1:-} in
  find) find_program ;;
  install) if building; then build_program; else download_program; fi ;;
  check) check ;;
  *) fail "usage: action.sh find|install|check" ;;
esac
