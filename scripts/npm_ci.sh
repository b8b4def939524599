#!/usr/bin/env bash
# npm_ci.sh FROM TO: installs the packages of FROM/package-lock.json into TO/node_modules, for the build. npm caches its
# downloads, so the next build folder needs no network.
set -euo pipefail

fail() {
  echo "npm_ci.sh: $*" >&2
  exit 1
}

(($# == 2)) || fail "usage: npm_ci.sh FROM TO"
from=$1 to=$2
command -v npm >/dev/null || fail "npm is not installed (./dev build installs it; on Debian: apt-get install nodejs npm)"
mkdir -p "$to"
cp "$from/package.json" "$from/package-lock.json" "$to/"
cd "$to"
rm -f .installed
npm ci --prefer-offline --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error >npm.out 2>&1 || {
  cat npm.out >&2
  fail "npm could not install the packages of $from: see its message above. npm needs the" \
    "network the first time; after that, the packages are in its cache."
}
touch .installed
