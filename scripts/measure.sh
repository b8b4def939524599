# Sourced by ./dev: bench, bench-answers, bench-schema, bench-games, fuzz and soak.
# shellcheck shell=bash

# programs FOLDER SUFFIX: the executables directly in FOLDER whose name ends in SUFFIX.
programs() { find "$1" -maxdepth 1 -type f -executable -name "*$2" | sort; }

bench() {
  local program found=''
  ensure_packages base node bench
  configure bench build-bench
  build build-bench
  while read -r program; do
    found=1
    say "$(basename "$program")"
    "$program" --benchmark_min_time=0.2 "$@" || die "$program failed"
  done < <(programs build-bench/bench _bench)
  [[ -n $found ]] || die "There are no benchmarks in build-bench/bench (they are named *_bench)"
}

bench_answers() {
  ensure_packages base node bench
  ensure_npm bench/answers
  configure bench build-bench
  build build-bench answer_bench
  bench/answers_against_zod.sh build-bench/bench/answer_bench "$@"
}

bench_schema() {
  ensure_packages base node bench
  ensure_npm bench/ajv
  configure bench build-bench
  build build-bench schema_bench
  bench/schema_against_ajv.sh build-bench/bench/schema_bench "$@"
}

bench_games() {
  ensure_packages base bench
  ensure_npm bench/boardgame_io
  configure bench build-bench
  build build-bench games_bench
  build build-bench script_bench
  node bench/boardgame_io/compare.mjs build-bench/bench/games_bench build-bench/bench/script_bench "$@"
}

# run_fuzzer PROGRAM SECONDS: what it prints is in build-fuzz/NAME.log, and a line in build-fuzz/runs adds up what was
# run: the name, seconds of CPU time, and inputs.
run_fuzzer() {
  local name log inputs used timeout=60 # the clock goes on while other work has the processor
  name=$(basename "$1")
  log=build-fuzz/$name.log
  local folders=("build-fuzz/corpus/$name")
  mkdir -p "${folders[@]}"
  [[ ! -d fuzz/seeds/$name ]] || folders+=("fuzz/seeds/$name")
  # Whatever a schema says, little is done about it.
  [[ $name != schema_fuzz ]] || timeout=10
  local TIMEFORMAT=%U
  if used=$({ time "$1" -max_total_time="$2" -print_final_stats=1 -timeout="$timeout" -rss_limit_mb=2048 \
    -artifact_prefix="build-fuzz/$name-" "${folders[@]}" >"$log" 2>&1; } 2>&1); then
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    used=${used%%.*}
    echo "$name $used $inputs" >>build-fuzz/runs
    say "$name: $inputs inputs in $used s of CPU time, nothing found; $(awk -v name="$name" \
      '$1 == name { seconds += $2; inputs += $3 } END { print inputs " in " int(seconds / 60) " minutes in all" }' build-fuzz/runs)"
  else
    tail -n 40 "$log"
    say "$name found something: $log has all of it, and the input is in a file build-fuzz/$name-…; run build-fuzz/fuzz/$name on it"
    return 1
  fi
}

# fuzz [TARGET] [SECONDS]: as many targets at once as there are jobs.
fuzz() {
  local target='' seconds=60 all program found='' failed='' running=0
  if [[ ${1:-} =~ ^[0-9]+$ ]]; then seconds=$1; else target=${1:-} seconds=${2:-60}; fi
  [[ $seconds =~ ^[0-9]+$ ]] || wrong_usage "./dev fuzz [TARGET] [SECONDS]: '$seconds' is not a number of seconds"
  ensure_packages base node clang fuzz
  configure fuzz build-fuzz
  build build-fuzz openseat_fuzz_targets
  mapfile -t all < <(programs build-fuzz/fuzz _fuzz)
  for program in "${all[@]}"; do
    [[ -z $target || $target == "$(basename "$program")" ]] || continue
    found=1
    if ((running == JOBS)); then
      wait -n || failed=1
      running=$((running - 1))
    fi
    run_fuzzer "$program" "$seconds" &
    running=$((running + 1))
  done
  [[ -n $found ]] || wrong_usage "There is no fuzz target '${target:-*_fuzz}'; there are: ${all[*]##*/}"
  while ((running > 0)); do
    wait -n || failed=1
    running=$((running - 1))
  done
  [[ -z $failed ]] || die "Fuzzing found something: see above"
}

# soak [NAME]
soak() {
  local script found='' failed=''
  ensure_packages base node
  configure release build
  build build openseat openseat_attack openseat_chimera_soak
  for script in tests/soak/${1:-*}.sh; do
    [[ -f $script ]] || continue
    found=1
    say "Soak: $(basename "$script" .sh)"
    "$script" || failed+=" $(basename "$script" .sh)"
  done
  [[ -z $failed ]] || die "Failed:$failed"
  [[ -n $found ]] || wrong_usage "There is no tests/soak/${1:-*}.sh"
}
