#!/usr/bin/env bash
# schema_against_ajv.sh PROGRAM [ROUNDS]: compares schema_bench with ajv, alternating. ./dev bench-schema builds and calls
# this. Exits with 1 if ajv is faster at validating parsed values.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
(($# >= 1)) || { echo "usage: schema_against_ajv.sh PROGRAM [ROUNDS]" >&2 && exit 2; }
program=$(realpath "$1")
[[ -d $here/ajv/node_modules/ajv ]] || (cd "$here/ajv" && npm ci --no-audit --no-fund)
exec node "$here/ajv/compare.mjs" "$program" "${@:2}"
