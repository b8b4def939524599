#!/usr/bin/env bash
# schema_against_ajv.sh PROGRAM [ROUNDS]: schema_bench beside ajv, in turns. ./dev bench-schema builds and calls this.
# Exits with 1 where ajv is faster at values that are parsed already.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
(($# >= 1)) || { echo "usage: schema_against_ajv.sh PROGRAM [ROUNDS]" >&2 && exit 2; }
program=$(realpath "$1")
[[ -d $here/ajv/node_modules/ajv ]] || (cd "$here/ajv" && npm ci --no-audit --no-fund)
exec node "$here/ajv/compare.mjs" "$program" "${@:2}"
