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

# run_fuzzer PROGRAM SECONDS
run_fuzzer() {
  local name corpus=build-fuzz/corpus folders timeout=10
  name=$(basename "$1")
  corpus=$corpus/$name
  folders=("$corpus")
  mkdir -p "$corpus"
  [[ ! -d fuzz/seeds/$name ]] || folders+=("fuzz/seeds/$name")
  say "Fuzzing $name for $2 seconds"
  # Whatever a schema says, little is done about it.
  [[ $name != schema_fuzz ]] || timeout=1
  "$1" -max_total_time="$2" -print_final_stats=1 -timeout="$timeout" -rss_limit_mb=2048 \
    -artifact_prefix="build-fuzz/$name-" "${folders[@]}" ||
    die "$name found something: the input is in a file build-fuzz/$name-…; run build-fuzz/fuzz/$name on it"
}

# fuzz [TARGET] [SECONDS]
fuzz() {
  local target='' seconds=60 program found=''
  if [[ ${1:-} =~ ^[0-9]+$ ]]; then seconds=$1; else target=${1:-} seconds=${2:-60}; fi
  [[ $seconds =~ ^[0-9]+$ ]] || wrong_usage "./dev fuzz [TARGET] [SECONDS]: '$seconds' is not a number of seconds"
  ensure_packages base node clang fuzz
  configure fuzz build-fuzz
  build build-fuzz openseat_fuzz_targets
  while read -r program; do
    [[ -z $target || $target == "$(basename "$program")" ]] || continue
    found=1
    run_fuzzer "$program" "$seconds"
  done < <(programs build-fuzz/fuzz _fuzz)
  [[ -n $found ]] || wrong_usage "There is no fuzz target '${target:-*_fuzz}'; there are: $(programs build-fuzz/fuzz _fuzz | xargs -rn1 basename | xargs)"
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
