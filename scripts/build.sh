# Sourced by ./dev: configures and builds, with an estimate of the time left, and keeps files being edited out of units
# (cmake/Unite.cmake).
# shellcheck shell=bash

# configure PRESET FOLDER: ninja notices changed CMake files, but not changed presets or new packages.
configure() {
  local preset=$1 folder=$2
  if [[ -f $folder/build.ninja && ! CMakePresets.json -nt $folder/.configured && -z $INSTALLED_SOMETHING ]]; then
    return 0
  fi
  stage "Configuring $folder"
  cmake --preset "$preset" || die "The build could not be configured: see the message above"
  touch "$folder/.configured"
}

# leave_units FOLDER PLAN: removes sources from the units of PLAN if they changed since the units were compiled, unless most did.
# Returns 1 if none was removed.
leave_units() {
  local folder=$1 plan=$2 object unit source left=1
  local sources changed
  while read -r object; do
    unit=$folder/${object%.o}
    [[ -f $folder/$object && -f $unit ]] || continue
    mapfile -t sources < <(sed -n 's/^#include "\(.*\)"$/\1/p' "$unit")
    mapfile -t changed < <(find "${sources[@]}" -newer "$folder/$object" 2>/dev/null)
    ((${#changed[@]} && ${#changed[@]} * 2 <= ${#sources[@]})) || continue
    for source in "${changed[@]}"; do realpath --relative-to=. "$source"; done >>"$folder/alone.txt"
    left=0
  done < <(grep -oE '[^ ]*/Unity/[^ ]*\.o$' "$plan" || true)
  return $left
}

# step_weight STEP: the cost of a ninja step, in tenths of a small source.
step_weight() {
  case $1 in
    *Unity/unity_*) WEIGHT=25 ;;
    *'Building CXX object'* | *'npm packages'*) WEIGHT=10 ;;
    *'browser interface'*) WEIGHT=25 ;;
    *'Linking CXX executable'*) WEIGHT=3 ;;
    *) WEIGHT=0 ;;
  esac
}

# about SECONDS: a duration for people.
about() {
  if (($1 < 55)); then echo "$((($1 + 9) / 5 * 5)) s"; else echo "$((($1 + 59) / 60)) min"; fi
}

# show_progress PLAN: prints ninja's lines from standard input, each with the time left, estimated from the relative costs
# of the steps of PLAN and the time of the finished ones.
show_progress() {
  local plan=$1 line step left='' said='' total=0 done_weight=0 steps=0 count=0 pending='' WEIGHT=0
  local begun=$SECONDS
  while read -r line; do
    [[ $line == \[* ]] || continue
    step_weight "$line"
    total=$((total + WEIGHT))
    steps=$((steps + 1))
  done <"$plan"
  while IFS= read -r line; do
    if [[ $line =~ ^\[[0-9]+/[0-9]+\]\ (.*) ]]; then
      step=${BASH_REMATCH[1]}
      step_weight "$step"
      done_weight=$((done_weight + WEIGHT))
      count=$((count + 1))
      left=''
      # The first steps say little about the rest.
      if ((SECONDS - begun >= 10 && done_weight > 0 && done_weight < total)); then
        left=", about $(about $(((SECONDS - begun) * (total - done_weight) / done_weight))) left"
      fi
      if [[ -t 1 ]]; then
        printf '\r\e[K%.*s' "$((${COLUMNS:-100} - 1))" "[$count/$steps$left] $step"
        pending=1
      elif [[ $left != "$said" || $count == "$steps" ]]; then
        echo "[$count/$steps$left] $step"
      fi
      said=$left
    else
      [[ -z $pending ]] || echo
      pending=''
      printf '%s\n' "$line"
    fi
  done
  [[ -z $pending ]] || echo
}

# build FOLDER [TARGET…]
build() {
  local folder=$1 plan
  shift
  stage "Building ${*:-everything} in $folder, $JOBS at a time"
  plan=$(mktemp)
  ninja -C "$folder" build.ninja >"$plan" || die "The build could not be configured: $(<"$plan")"
  ninja -C "$folder" -n "$@" >"$plan" || die "The build cannot be planned: $(<"$plan")"
  # Which sources leave is known after ninja has reconfigured.
  if leave_units "$folder" "$plan"; then ninja -C "$folder" build.ninja >/dev/null; fi
  ninja -C "$folder" -n "$@" >"$plan" || true
  ninja -C "$folder" -j "$JOBS" "$@" | show_progress "$plan" ||
    die "The build failed: see the first error above"
  rm -f "$plan"
}

# The programs and every header alone.
build_all() {
  local folder=$1 targets=(all)
  # Not as a pipe: grep stops at the first match, which makes ninja and the pipe fail.
  if grep -q '^all_verify_interface_header_sets:' < <(ninja -C "$folder" -t targets all); then
    targets+=(all_verify_interface_header_sets)
  fi
  build "$folder" "${targets[@]}"
}
