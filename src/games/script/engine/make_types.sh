#!/usr/bin/env bash
# make_types.sh PACKAGES OUT: makes one file of types.js and Babel's parser, and of that OUT/types.cc, which the program
# contains (typescript.h).
set -euo pipefail

(($# == 2)) || {
  echo "make_types.sh: usage: make_types.sh PACKAGES OUT" >&2
  exit 1
}
here=$(cd "$(dirname "$0")" && pwd)
packages=$1 out=$2
mkdir -p "$out"
NODE_PATH=$packages/node_modules "$packages/node_modules/.bin/esbuild" "$here/types.js" --bundle --minify --charset=ascii \
  --format=iife --global-name=types --footer:js=types.default --legal-comments=none --log-level=warning \
  --outfile="$out/types.min.js"
{
  printf '#include "games/script/typescript.h"\n\nnamespace openseat::games {\n\nstd::string_view TypesText() {\n  return R"openseat('
  cat "$out/types.min.js"
  printf ')openseat";\n}\n\n}  // namespace openseat::games\n'
} >"$out/types.cc"
