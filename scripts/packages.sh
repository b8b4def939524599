# Sourced by ./dev: installs missing packages. scripts/packages.txt lists the required ones.
# shellcheck shell=bash

# Set when something was installed, so that an existing build directory is reconfigured.
INSTALLED_SOMETHING=''

as_root() {
  if [[ $EUID -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "Installing packages requires root, and sudo is not available. As root, run: apt-get install ${MISSING[*]}"
  fi
}

# packages_of GROUP…: lines "group package command".
packages_of() {
  local group
  for group in "$@"; do
    awk -v group="$group" '$1 == group { print $1, $2, $3 }' scripts/packages.txt
  done
}

# Fills MISSING with the packages of the groups that are not installed.
find_missing() {
  local group package command installed
  installed=" $(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' | awk '$1 == "ii" { printf "%s ", $2 }') "
  MISSING=()
  while read -r group package command; do
    if [[ $group == node ]] && command -v "$command" >/dev/null; then
      continue # keeps an existing node
    fi
    [[ $installed == *" $package "* ]] || MISSING+=("$package")
  done < <(packages_of "$@")
}

# Fills UNKNOWN with those of MISSING that apt's lists do not have.
find_unknown() {
  local package known
  known=" $(apt-cache policy "${MISSING[@]}" 2>/dev/null |
    awk '/^[^ ]/ { sub(":$", "", $1); name = $1 } $1 == "Candidate:" && $2 != "(none)" { printf "%s ", name }') "
  UNKNOWN=()
  for package in "${MISSING[@]}"; do
    [[ $known == *" $package "* ]] || UNKNOWN+=("$package")
  done
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=120 "$@"
}

apt_update() {
  say "Updating the package lists"
  as_root apt-get update -q || die "apt-get update failed: see its message above (is this machine online?)"
}

# On a system without apt: says what is needed, and continues if the programs exist.
check_without_apt() {
  local group package command absent=()
  while read -r group package command; do
    [[ $command == - ]] || command -v "$command" >/dev/null || absent+=("$command")
  done < <(packages_of "$@")
  ((${#absent[@]})) || return 0
  warn "This system has no apt, so install these yourself (by their Debian names):"
  packages_of "$@" | awk '{ print "      " $2 }' >&2
  die "Not found: ${absent[*]}"
}

# ensure_packages GROUP…: installs the groups' missing packages.
ensure_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    check_without_apt "$@"
    return
  fi
  local updated='' package wanted=()
  find_missing "$@"
  ((${#MISSING[@]})) || return 0
  stage "Installing ${#MISSING[@]} Debian packages and what they need"
  echo "${MISSING[*]}"
  find_unknown
  if ((${#UNKNOWN[@]})); then
    apt_update
    updated=1
    find_unknown
  fi
  if ((${#UNKNOWN[@]})); then
    warn "apt does not know ${UNKNOWN[*]}: the names are those of Debian 12. Continuing; the build will report what is missing."
  fi
  for package in "${MISSING[@]}"; do
    [[ " ${UNKNOWN[*]} " == *" $package "* ]] || wanted+=("$package")
  done
  ((${#wanted[@]})) || return 0
  if ! apt_install "${wanted[@]}"; then
    # Outdated lists name files that the mirror no longer has.
    [[ -z $updated ]] || die "apt-get could not install ${wanted[*]}: see its message above"
    apt_update
    apt_install "${wanted[@]}" || die "apt-get could not install ${wanted[*]}: see its message above"
  fi
  # shellcheck disable=SC2034  # ./dev reads it
  INSTALLED_SOMETHING=1
}

# want_browser: installs Chromium if it is missing and available.
want_browser() {
  local name
  [[ -z ${OPENSEAT_CHROMIUM:-} ]] || return 0
  for name in chromium chromium-browser google-chrome; do
    ! command -v "$name" >/dev/null || return 0
  done
  (ensure_packages browser) || warn "There is no Chromium here: the pages are not tested in a browser"
}

# ensure_npm FOLDER: installs the packages of FOLDER/package-lock.json, unless already done.
ensure_npm() {
  local folder=$1 stamp=$1/node_modules/.openseat-stamp sum
  [[ -f $folder/package-lock.json ]] || return 0
  ensure_packages node
  sum=$(sha256sum <"$folder/package-lock.json")
  if [[ -f $stamp && $(<"$stamp") == "$sum" ]]; then return 0; fi
  stage "Installing the npm packages of $folder"
  (cd "$folder" && npm ci --no-audit --no-fund) || die "npm ci failed in $folder: see its message above"
  echo "$sum" >"$stamp"
}
