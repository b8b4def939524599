#!/usr/bin/env bash
# fresh.sh [--ci] [RUNS]: the newcomer's experience, in RUNS (1) fresh roots of Debian 12: clones the last commit of
# this checkout into each, runs the README's two commands there, and prints how long they took. With --ci: runs .ci/run
# from nothing instead, and once more with warm caches in a second clone. Needs root, and mmdebstrap (Debian's package);
# no container program. The roots share this machine's network and nothing else. The logs stay in build/fresh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/common.sh
source scripts/roots.sh

ci=false
[[ ${1:-} != --ci ]] || { ci=true && shift; }
RUNS=${1:-1}
[[ $RUNS =~ ^[1-9][0-9]*$ ]] || wrong_usage "fresh.sh takes the number of runs; got '$RUNS'"
need_roots fresh.sh

# What a machine needs before it can clone.
BEFORE=(ca-certificates git)
ADDRESS=127.0.0.1:18080

logs=build/fresh
mkdir -p "$logs"
work=$(mktemp -d "${TMPDIR:-/tmp}/openseat_fresh.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT

# make_root ROOT
make_root() {
  unpack_root "$work/root.tar" "$1"
  git clone -q --no-hardlinks . "$1/openseat"
  # The schema engine's tests read the official suite next to the checkout, if there is one.
  [[ ! -d ../shared/data ]] || { mkdir "$1/shared" && cp -r ../shared/data "$1/shared/"; }
}

# timed ROOT FOLDER LOG COMMAND: runs COMMAND in FOLDER of ROOT, shows its stages, stores the seconds in $took.
timed() {
  local begun=$SECONDS status=0
  inside "$1" bash -c "cd $2 && $4" >"$3" 2>&1 </dev/null || status=$?
  grep -E '^ +[0-9]+ s  |% tests passed' "$3" || true
  ((status == 0)) || { tail -n 40 "$3" && die "$4 failed"; }
  took=$((SECONDS - begun))
}

# CI's own checkout: from nothing, then a second one with the caches left by the first.
ci_run() {
  local number=$1 root=$work/root_$1 cold
  make_root "$root"
  timed "$root" /openseat "$logs/cold_$number.log" .ci/run
  cold=$took
  good "Run $number: .ci/run from nothing took $cold s"
  inside "$root" bash -c 'git clone -q /openseat /again/openseat && rm -rf /openseat'
  [[ ! -d $root/shared ]] || mv "$root/shared" "$root/again/shared"
  timed "$root" /again/openseat "$logs/warm_$number.log" .ci/run
  good "Run $number: .ci/run with warm caches took $took s"
  TIMES+=("$(printf '%4d  %15d  %14d' "$number" "$cold" "$took")")
  rm -rf --one-file-system "$root"
}

one_run() {
  local number=$1 root=$work/root_$1 begun served runner
  make_root "$root"
  begun=$SECONDS
  set -m
  inside "$root" bash -c "cd /openseat && ./dev run --listen $ADDRESS" >"$logs/run_$number.log" 2>&1 </dev/null &
  runner=$!
  set +m
  until answers "$ADDRESS"; do
    kill -0 "$runner" 2>/dev/null || { tail -n 30 "$logs/run_$number.log" && die "./dev run ended before it served"; }
    sleep 0.5
  done
  served=$((SECONDS - begun))
  good "Run $number: ./dev run serves after $served s"
  grep -E '^ +[0-9]+ s  ' "$logs/run_$number.log" || true
  kill -KILL -- "-$runner" 2>/dev/null || true
  wait "$runner" 2>/dev/null || true
  timed "$root" /openseat "$logs/test_$number.log" './dev test'
  good "Run $number: ./dev test took $took s"
  TIMES+=("$(printf '%4d  %12d  %13d' "$number" "$served" "$took")")
  rm -rf --one-file-system "$root"
}

say "Creating a root of Debian 12"
make_archive "$work/root.tar" "${BEFORE[@]}"
TIMES=()
run=one_run heading=" run  ./dev run, s  ./dev test, s"
! "$ci" || { run=ci_run && heading=" run  .ci/run cold, s  and warm, s"; }
for ((number = 1; number <= RUNS; ++number)); do "$run" "$number"; done
echo
echo "$heading"
printf '%s\n' "${TIMES[@]}"
