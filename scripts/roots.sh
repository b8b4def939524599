# Sourced by scripts that need a machine without the project: fresh roots of Debian 12. Needs root
# and mmdebstrap (Debian's package); no container program. The roots share this machine's network and nothing else.
# shellcheck shell=bash

# How this machine reaches the archive and npm, if configured.
CARRIED=(/etc/resolv.conf /etc/hosts /etc/apt/apt.conf.d /etc/ssl/certs /usr/local/share/ca-certificates /etc/npmrc /usr/etc/npmrc
  /root/.npmrc)

# need_roots SCRIPT
need_roots() {
  ((EUID == 0)) || die "$1 creates root file systems, so it must run as root"
  command -v mmdebstrap >/dev/null || die "mmdebstrap is not installed (apt-get install mmdebstrap)"
}

# make_archive FILE PACKAGE…: creates a small root with these packages, to unpack roots from.
make_archive() {
  local file=$1
  shift
  mmdebstrap -q --variant=minbase --include="$(
    IFS=,
    echo "$*"
  )" bookworm "$file"
}

# unpack_root ARCHIVE ROOT
unpack_root() {
  local carried
  mkdir "$2"
  tar -C "$2" -xf "$1" --exclude './dev/*'
  for carried in "${CARRIED[@]}"; do
    [[ -e $carried ]] || continue
    mkdir -p "$2/$(dirname "$carried")"
    cp -rL "$carried" "$2/$(dirname "$carried")/" 2>/dev/null || true
  done
}

# inside ROOT COMMAND…: in its own processes, which end with it.
inside() {
  local root=$1 name environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 CI=true)
  shift
  for name in http_proxy https_proxy no_proxy NODE_EXTRA_CA_CERTS OPENSEAT_JOBS; do
    [[ -z ${!name:-} ]] || environment+=("$name=${!name}")
  done
  # shellcheck disable=SC2016  # the inner shell's variables
  unshare --mount --pid --fork --kill-child bash -c '
    root=$1
    shift
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    exec env -i "$@"' inside "$root" "${environment[@]}" chroot "$root" "$@"
}

# answers ADDRESS: whether a server answers there.
answers() {
  (exec 3<>"/dev/tcp/${1/:/\/}" && printf 'GET /healthz HTTP/1.0\r\n\r\n' >&3 && grep -q '200 OK' <&3) 2>/dev/null
}
