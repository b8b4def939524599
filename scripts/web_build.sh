#!/usr/bin/env bash
# web_build.sh WEB OUT DEPFILE: builds the browser interface for the program: its npm packages (into WEB/node_modules,
# when the lock file changed), the pages (by Vite, into OUT/dist), the board in the chat (OUT/chat/board.html), and from those
# OUT/web_files.cc. DEPFILE tells ninja
# which files it depends on.
set -euo pipefail

fail() {
  echo "web_build.sh: $*" >&2
  exit 1
}

(($# == 3)) || fail "usage: web_build.sh WEB OUT DEPFILE"
web=$(realpath "$1") out=$(realpath -m "$2") depfile=$(realpath -m "$3")
for program in node npm; do
  command -v "$program" >/dev/null ||
    fail "$program is not installed, but the browser interface needs it (./dev build installs it; on Debian:" \
      "apt-get install nodejs npm)"
done
major=$(node --version | sed 's/^v\([0-9]*\).*/\1/')
((major >= 18)) || fail "the browser interface needs Node.js 18 or later; this is $(node --version)"

mkdir -p "$out"
log=$out/web_build.log

# run WHAT COMMAND…: quiet unless it fails.
run() {
  local what=$1
  shift
  "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    fail "$what: see the message above"
  }
}

# Several build folders share the packages; one at a time installs them. ./dev's ensure_npm leaves the same stamp.
install_packages() {
  local stamp=$web/node_modules/.openseat-stamp sum
  sum=$(sha256sum <"$web/package-lock.json")
  if [[ -f $stamp && $(<"$stamp") == "$sum" ]]; then return; fi
  run "npm could not install the packages of web/ (it needs the network once, then it has them in its cache)" \
    npm ci --prefix "$web" --prefer-offline --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error
  echo "$sum" >"$stamp"
}
exec 9>"$web/.install.lock"
flock 9
install_packages
flock -u 9

cd "$web"
# CMake reads the target relative to OUT.
OPENSEAT_DEPFILE=$depfile OPENSEAT_DEPFILE_TARGET=web_files.cc \
  run "the browser interface could not be built" node_modules/.bin/vite build --outDir "$out/dist" --emptyOutDir
OPENSEAT_DEPFILE=$out/chat.d OPENSEAT_DEPFILE_TARGET=web_files.cc \
  run "the board in the chat could not be built" node_modules/.bin/vite build --config vite.chat.config.ts --outDir "$out/chat" --emptyOutDir
run "the board in the chat could not be built" node build_tools/one_file.mjs "$out/chat"
{ tr -d '\n' <"$depfile" && sed 's/^[^:]*://' "$out/chat.d"; } >"$depfile.part"
mv "$depfile.part" "$depfile"
run "the browser interface could not be packed" node build_tools/embed.mjs "$out/dist" "$out/chat/board.html" "$out/web_files.cc"
