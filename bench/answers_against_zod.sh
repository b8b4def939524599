#!/usr/bin/env bash
# answers_against_zod.sh PROGRAM [ROUNDS]: compares answer_bench with zod and jsonrepair, alternating. ./dev bench-answers
# builds and calls this.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
(($# >= 1)) || { echo "usage: answers_against_zod.sh PROGRAM [ROUNDS]" >&2 && exit 2; }
program=$(realpath "$1")
[[ -d $here/answers/node_modules/zod ]] || (cd "$here/answers" && npm ci --no-audit --no-fund)
exec node "$here/answers/compare.mjs" "$program" "${@:2}"
