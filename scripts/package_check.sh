# Sourced by scripts/package.sh: installs each package of dist/ as the README says, in a Debian 12 root that has
# nothing else, uses it there, and prints the times.
# shellcheck shell=bash

ADDRESS=127.0.0.1:18081
# What a new user's machine has; nothing of ours.
SCRIPT='{"move": {"position": [1, 1]}}'

# expect_in ROOT WHAT COMMAND: checks that the command succeeds in ROOT; shows its output if not.
expect_in() {
  inside "$1" bash -c "$3" >"$checks/output" 2>&1 </dev/null || { tail -n 40 "$checks/output" && die "$2"; }
}

# clock ROOT WHAT COMMAND: the same, and prints the time.
clock() {
  local begun
  begun=$(date +%s%N)
  expect_in "$1" "$2: '$3' failed" "$3"
  INSTALLED+=("$(printf '%-28s %6d ms  %s' "$2" $((($(date +%s%N) - begun) / 1000000)) "$3")")
}

# serve_in ROOT WHAT COMMAND [MEANWHILE]: checks that the command is a server that answers, stays alive, and shuts down cleanly;
# MEANWHILE must succeed while it serves.
serve_in() {
  local runner begun tries
  begun=$(date +%s%N)
  set -m
  inside "$1" bash -c "$3" >"$checks/serve" 2>&1 </dev/null &
  runner=$!
  set +m
  until answers "$ADDRESS"; do
    kill -0 "$runner" 2>/dev/null || { cat "$checks/serve" && die "$2: '$3' ended before it served"; }
    sleep 0.05
  done
  INSTALLED+=("$(printf '%-28s %6d ms' "$2 serves" $((($(date +%s%N) - begun) / 1000000)))")
  [[ -z ${4:-} ]] || expect_in "$1" "$2: '$4' failed while it served" "$4"
  kill -KILL -- "-$runner" 2>/dev/null || true
  wait "$runner" 2>/dev/null || true
  for ((tries = 0; tries < 100; ++tries)); do
    answers "$ADDRESS" || return 0
    sleep 0.05
  done
  die "$2: the server did not stop"
}

# A game and the checker, using only the program.
play_in() {
  expect_in "$1" "$2: a checked game" "
    cd /tmp && echo '$SCRIPT' >script.json
    $3 check --actions script.json --listen $ADDRESS --log-dir logs --quiet 0.3 >check.log 2>&1 & checker=\$!
    until grep -q 'Waiting for a game' check.log; do kill -0 \$checker || { cat check.log; exit 1; }; sleep 0.05; done
    $3 demo tictactoe --url ws://$ADDRESS --games 1 --pace 0 --quiet && wait \$checker || { cat check.log; exit 1; }
    ls logs/vicky_*.junit.xml"
}

LISTEN="OPENSEAT_LISTEN=$ADDRESS OPENSEAT_CHIMERA_LISTEN=none"
AS_SERVICE="setpriv --reuid openseat --regid openseat --clear-groups --no-new-privs env $LISTEN XDG_DATA_HOME=/var/lib"

check_deb() {
  local root=$checks/deb deb=openseat_${VERSION}_$DEBIAN_ARCH.deb newer=$checks/newer service
  unpack_root "$checks/root.tar" "$root"
  cp "$DIST/$deb" "$root/root/"
  inside "$root" apt-get update -q >"$checks/output" 2>&1 || { cat "$checks/output" && die "apt-get update failed"; }
  clock "$root" deb "cd /root && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends ./$deb"
  expect_in "$root" "the program of the package" "test \"\$(openseat --version)\" = $VERSION && test -z \"\$(dpkg -V openseat)\""
  expect_in "$root" "what the package owns" "test \"\$(stat -c %U:%a /var/lib/openseat)\" = openseat:700 &&
    dpkg-query -W -f '\${Conffiles}' openseat | grep -q /etc/openseat/openseat.toml &&
    test -f /lib/systemd/system/openseat.service && ! grep -vE '^(#|\$)' /etc/openseat/openseat.toml"
  play_in "$root" deb openseat
  service="$AS_SERVICE $(sed -n 's/^ExecStart=//p' packaging/openseat.service) --match tictactoe:random,random"
  serve_in "$root" deb "$service"
  expect_in "$root" "the service's data" "test -f /var/lib/openseat/openseat.db"

  # An upgrade keeps data and configuration; removal keeps both; purge keeps nothing.
  dpkg-deb -R "$DIST/$deb" "$newer"
  sed -i "s/^Version: .*/Version: $VERSION+next/" "$newer/DEBIAN/control"
  echo '# a later default' >>"$newer/etc/openseat/openseat.toml"
  dpkg-deb --root-owner-group --build "$newer" "$root/root/newer.deb" >/dev/null
  expect_in "$root" "an upgrade" "cd /root && echo '[log]
level = \"warn\"' >>/etc/openseat/openseat.toml && sha256sum /var/lib/openseat/openseat.db /etc/openseat/openseat.toml >before &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q -o Dpkg::Options::=--force-confold ./newer.deb &&
    test \"\$(dpkg-query -W -f '\${Version}' openseat)\" = $VERSION+next && sha256sum -c before"
  serve_in "$root" "deb, upgraded" "$service"
  expect_in "$root" "removal" "apt-get remove -y -q openseat && test -f /var/lib/openseat/openseat.db && test -f /etc/openseat/openseat.toml && ! command -v openseat"
  expect_in "$root" "purge" "apt-get purge -y -q openseat && test ! -e /var/lib/openseat && test ! -e /etc/openseat && ! getent passwd openseat"
  check_service
}

# The service under systemd, booted in a container without a network.
check_service() {
  local root=$checks/service deb=openseat_${VERSION}_$DEBIAN_ARCH.deb
  make_archive "$checks/service.tar" systemd systemd-sysv dbus curl
  unpack_root "$checks/service.tar" "$root"
  cp "$DIST/$deb" scripts/service_check.sh "$root/root/"
  expect_in "$root" "installing the package next to systemd" "cd /root && apt-get update -q &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends ./$deb"
  cat >"$root/etc/systemd/system/check.service" <<END
[Unit]
SuccessAction=poweroff
FailureAction=poweroff
[Service]
Type=oneshot
ExecStart=/root/service_check.sh
StandardOutput=file:/root/check.log
StandardError=inherit
[Install]
WantedBy=multi-user.target
END
  ln -s ../check.service "$root/etc/systemd/system/multi-user.target.wants/"
  say "Booting systemd in a container"
  timeout 600 systemd-nspawn -q --register=no --keep-unit --private-network -D "$root" -b >"$checks/output" 2>&1 </dev/null || true
  [[ -f $root/root/passed ]] || { tail -n 40 "$checks/output" "$root/root/check.log" && die "the service failed under systemd"; }
  INSTALLED+=("deb: under systemd, the service starts, reloads, is restarted after kill -9 and after it hangs, and stops")
}

check_tar() {
  local root=$checks/tar name=openseat-$VERSION-linux-$ARCHIVE_ARCH
  unpack_root "$checks/root.tar" "$root"
  cp "$DIST/$name.tar.gz" "$root/root/"
  clock "$root" tar "cd /root && tar -xzf $name.tar.gz && $name/bin/openseat --version"
  # Needs only glibc from the system.
  expect_in "$root" "the archive's libraries" "ldd /root/$name/bin/openseat | awk '\$2 == \"=>\" && \$3 !~ \"^/root/\" { print \$1 }' |
    grep -vE '^lib(c|m|dl|rt|pthread|resolv|mvec|anl|util)\\.so' | tee /dev/stderr | wc -l | grep -qx 0"
  play_in "$root" tar "/root/$name/bin/openseat"
  serve_in "$root" tar "env $LISTEN /root/$name/bin/openseat serve"
}

check_npm() {
  local root=$checks/npm
  unpack_root "$checks/root.tar" "$root"
  mkdir -p "$root/dist" "$root/empty"
  cp "$DIST"/openseat*-"$VERSION".tgz "$root/dist/"
  say "Installing Debian's node and npm there"
  expect_in "$root" "node" "apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends nodejs npm"
  clock "$root" npm "cd /empty && npm install --offline --ignore-scripts --no-audit --no-fund /dist/*.tgz"
  expect_in "$root" "npx" "cd /empty && test \"\$(npx openseat --version)\" = $VERSION"
  play_in "$root" npm "/empty/node_modules/.bin/openseat"
  serve_in "$root" npm "cd /empty && $LISTEN npx openseat serve"
}

# The image's root in its own environment, as its user; no container runtime is needed.
check_image() {
  local root=$checks/image layout=$checks/layout environment=() as
  local image=$DIST/openseat-$VERSION-image-linux-$DEBIAN_ARCH.tar size
  mkdir -p "$layout" "$root"
  tar -C "$layout" -xf "$image"
  node scripts/image_check.mjs "$layout" "$root" >"$checks/config" || die "the image's layout is wrong: see above"
  size=$(du -s --apparent-size --block-size=1000000 "$root" | cut -f1)
  INSTALLED+=("image: $size MB unpacked, $(du --apparent-size --block-size=1000000 "$image" | cut -f1) MB to fetch")
  ((size < 120)) || die "the image has $size MB; the limit is 120"
  mapfile -t environment < <(sed -n 's/^Env //p' "$checks/config")
  as="setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs env -i ${environment[*]} OPENSEAT_LISTEN=0.0.0.0:${ADDRESS#*:} OPENSEAT_CHIMERA_LISTEN=none"
  serve_in "$root" image "$as $(sed -n 's/^Run //p' "$checks/config")" "$as $(sed -n 's/^Health //p' "$checks/config")"
  ! inside "$root" bash -c "$as $(sed -n 's/^Health //p' "$checks/config")" 2>/dev/null ||
    die "the image's health check succeeds without a server"
  [[ $(stat -c %u "$root/var/lib/openseat/openseat.db") == 10001 ]] || die "the image's data does not belong to its user"
}

# The wheel, on the path as it is: pip is not needed.
check_python() {
  local wheels=("$DIST"/openseat-"$VERSION"-*.whl)
  PYTHONPATH=${wheels[0]} /usr/bin/python3 -c "import openseat; assert openseat.__version__ == '$VERSION'" ||
    die "the wheel cannot be used"
  local root=$checks/python deb=python3-openseat_${VERSION}_all.deb
  unpack_root "$checks/root.tar" "$root"
  cp "$DIST/$deb" "$root/root/"
  expect_in "$root" "apt-get update" "apt-get update -q"
  clock "$root" python "cd /root && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends ./$deb"
  expect_in "$root" "the Debian package for Python" "cd / && test -z \"\$(dpkg -V python3-openseat)\" &&
    python3 -c 'import importlib.metadata, openseat; assert importlib.metadata.version(\"openseat\") == openseat.__version__ == \"$VERSION\"'"
  expect_in "$root" "its removal" "apt-get purge -y -q python3-openseat && test ! -e /usr/lib/python3/dist-packages/openseat"
}

check_packages() {
  local kind
  need_roots "./dev package --check"
  [[ -f $DIST/SHA256SUMS ]] || die "Nothing to check: run ./dev package first"
  (cd "$DIST" && sha256sum --quiet -c SHA256SUMS) || die "dist/ does not match its SHA256SUMS"
  checks=$(mktemp -d "${TMPDIR:-/tmp}/openseat_packages.XXXXXX")
  # shellcheck disable=SC2064  # expand the folder's name now
  trap "rm -rf --one-file-system '$checks'; show_stages" EXIT
  INSTALLED=()
  stage "Creating a root of Debian 12"
  make_archive "$checks/root.tar" ca-certificates
  for kind in "$@"; do
    stage "Checking: $kind"
    "check_$kind"
  done
  end_stage
  good "Every package installs and serves: $*"
  printf '%s\n' "${INSTALLED[@]}"
}
