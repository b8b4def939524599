#!/usr/bin/env bash
# tidy_batch.sh LIST: runs clang-tidy on the sources in LIST.list, lines of "SOURCE KEY", with the flags in LIST.flags; creates
# the file KEY of each that passes. ./dev lint runs it, in parallel.
#
# The sources are checked as one. Only if that fails, they are checked in halves, down to single ones, so each
# finding belongs to one source.
set -uo pipefail

# check FIRST COUNT: the sources of that part of the list.
check() {
  local first=$1 count=$2 source_file=${sources[$1]} options=(--quiet) findings i
  if ((count > 1)); then
    source_file=$(mktemp "$LINT_WORK/batch_XXXXXX.cc")
    printf '#include "%s"\n' "${sources[@]/#/$PWD/}" | sed -n "$((first + 1)),$((first + count))p" >"$source_file"
    options+=('--header-filter=/(src|tests|fuzz|bench|tools)/.*\.(h|cc)$' --checks=-bugprone-suspicious-include)
  fi
  if findings=$(clang-tidy-19 "${options[@]}" "$source_file" -- -x c++ -std=c++20 -w "${flags[@]}" 2>&1); then
    for ((i = first; i < first + count; ++i)); do
      : >"${keys[i]}"
      echo "${sources[i]}" >>"$LINT_WORK/done"
      echo "[$(wc -l <"$LINT_WORK/done")/$LINT_TOTAL] ${sources[i]}"
    done
  elif ((count > 1)); then
    check "$first" $((count / 2))
    check $((first + count / 2)) $((count - count / 2))
  else
    echo "$source_file" >>"$LINT_WORK/done"
    echo "[$(wc -l <"$LINT_WORK/done")/$LINT_TOTAL] $source_file"
    grep -vE '^[0-9]+ warnings? (generated|treated)|^Suppressed|^Use -header-filter' <<<"$findings"
    failed=1
  fi
}

sources=() keys=() failed=0
while read -r source_file key; do
  sources+=("$source_file")
  keys+=("$key")
done <"$1"
read -ra flags < <(sort -u "${1%.list}.flags")
# Not in the release build (fuzz/, bench/, tools/): uses the flags of all sources that are.
[[ ${flags[*]} != - ]] ||
  mapfile -t flags < <(cut -f 2 "$LINT_WORK/flags" | sed 's/-isystem /-isystem/g' | tr ' ' '\n' | grep . | sort -u)
check 0 ${#sources[@]}
exit $failed
