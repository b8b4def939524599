#!/usr/bin/env bash
# browser.sh PROGRAM: runs the tests of web/e2e in a real Chromium against PROGRAM. Exit code 77: Chromium is not
# installed.
set -euo pipefail
export OPENSEAT_PROGRAM=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../../web"
found=${OPENSEAT_CHROMIUM:-}
for name in chromium chromium-browser google-chrome; do
  [[ -n $found ]] || found=$(command -v "$name" || true)
done
if [[ -z $found ]]; then
  echo "Skipped: Chromium is not installed (./dev test installs it; on Debian: apt-get install chromium)"
  exit 77
fi
exec node_modules/.bin/vitest run --config vitest.e2e.config.ts
