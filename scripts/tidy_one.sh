#!/usr/bin/env bash
# tidy_one.sh SOURCE KEY: clang-tidy on one source; creates the file KEY if it passes. ./dev lint runs it, in parallel.
set -uo pipefail
source_file=$1 key=$2
options=(--quiet -p build --extra-arg=-w)
if ! grep -q "\"file\": \"$PWD/$source_file\"" build/compile_commands.json; then
  # Not in the release build: the include folders and definitions of all that are.
  mapfile -t flags < <(grep -oE -- '-(D|I|isystem )[^ ]+' build/compile_commands.json | sed 's/\\\\//g; s/\\"/"/g' |
    sort -u | tr ' ' '\n')
  options=(--quiet)
  set -- -- -x c++ -std=c++20 -w "${flags[@]}"
else
  set --
fi
findings=$(clang-tidy-19 "${options[@]}" "$source_file" "$@" 2>&1)
status=$?
echo "$source_file" >>"$LINT_WORK/done"
echo "[$(wc -l <"$LINT_WORK/done")/$LINT_TOTAL] $source_file"
if ((status == 0)); then
  : >"$key"
  exit 0
fi
grep -vE '^[0-9]+ warnings? (generated|treated)|^Suppressed|^Use -header-filter' <<<"$findings"
exit 1
