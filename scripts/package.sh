# Sourced by ./dev: builds the release packages in dist/. All contain the program of build/ and its dependencies: a Debian
# package, an archive with its libraries, two npm packages, a container image, and Python packages, which hold only the client.
# shellcheck shell=bash

source scripts/roots.sh

PACKAGES=(deb tar npm image python)
DIST=$PWD/dist

# project_version, project_homepage: from CMakeLists.txt.
project_version() { sed -nE 's/^project\(openseat VERSION ([0-9]+\.[0-9]+\.[0-9]+) .*/\1/p' CMakeLists.txt; }
project_homepage() { sed -nE 's/.*HOMEPAGE_URL "([^"]+)".*/\1/p' CMakeLists.txt; }

# This machine's architecture, as named by Debian, the archive and npm.
name_machine() {
  DEBIAN_ARCH=$(dpkg --print-architecture)
  case $DEBIAN_ARCH in
    amd64) ARCHIVE_ARCH=x86_64 NPM_ARCH=x64 ;;
    arm64) ARCHIVE_ARCH=aarch64 NPM_ARCH=arm64 ;;
    *) die "Packages can be built on amd64 and arm64; this machine is $DEBIAN_ARCH" ;;
  esac
}

# All packed files have the time of the last commit, so the same sources give the same packages.
name_time() {
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CMakeLists.txt)
  export SOURCE_DATE_EPOCH
}

# pack_tar FOLDER FILE: packs FOLDER; its parent is the archive's root.
pack_tar() {
  tar -C "$(dirname "$1")" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    --format=gnu -cf - "$(basename "$1")" | gzip -9n >"$2"
}

# fill FILE FROM NAME=VALUE…: fills a template, replacing each @NAME@.
fill() {
  local pair text file=$1
  text=$(<"$2")
  shift 2
  for pair in "VERSION=$VERSION" "HOMEPAGE=$HOMEPAGE" "$@"; do text=${text//"@${pair%%=*}@"/"${pair#*=}"}; done
  printf '%s\n' "$text" >"$file"
}

# stage_program FOLDER: copies what all packages share, laid out as in /usr: the stripped program, manual pages, completions,
# documents.
stage_program() {
  local usr=$1 kind
  install -D build/openseat "$usr/bin/openseat"
  strip --strip-unneeded "$usr/bin/openseat"
  build/openseat describe >"$work/command_line.json"
  OPENSEAT_VERSION=$VERSION node scripts/command_line.mjs man "$usr/share/man/man1" <"$work/command_line.json"
  gzip -9n "$usr"/share/man/man1/*.1
  for kind in bash:bash-completion/completions zsh:zsh/vendor-completions fish:fish/vendor_completions.d; do
    node scripts/command_line.mjs "${kind%%:*}" "$usr/share/${kind#*:}" <"$work/command_line.json"
  done
  install -D -m 0644 -t "$usr/share/doc/openseat" README.md CHANGELOG.md SECURITY.md LICENSE
}

# owner_of PATH: the Debian package that owns the file, perhaps under its path before /usr was merged.
owner_of() {
  local path owner
  for path in "$1" "$(realpath "$1")" "/usr$1" "${1#/usr}"; do
    owner=$(dpkg -S "$path" 2>/dev/null) || continue
    echo "${owner%%:*}"
    return
  done
  die "No package owns $1"
}

# The libraries that the program loads, except glibc: lines "soname path package".
libraries() {
  local soname path package
  ldd build/openseat | awk '$2 == "=>" { print $1, $3 }' | while read -r soname path; do
    package=$(owner_of "$path")
    [[ $package == libc6 ]] || echo "$soname $path $package"
  done
}

# stage_libraries FOLDER LICENSES PROGRAM: copies them into one folder, under their sonames, with
# their licenses, and makes PROGRAM look for them there.
stage_libraries() {
  local soname path package
  mkdir -p "$1" "$2"
  while read -r soname path package; do
    install -m 0644 "$path" "$1/$soname"
    cp -L "/usr/share/doc/$package/copyright" "$2/$package"
  done <"$work/libraries"
  # Only this older form of the path also applies to what the libraries load.
  patchelf --force-rpath --set-rpath "\$ORIGIN/../$(realpath --relative-to "$(dirname "$3")/.." "$1")" "$3"
}

# build_deb ROOT CONTROL NAME VARIABLE=VALUE…: packs ROOT, with its control file filled.
build_deb() {
  local root=$1 control=$2 name=$3
  shift 3
  fill "$root/DEBIAN/control" "$control" "SIZE=$(du -sk --apparent-size --exclude=DEBIAN "$root" | cut -f1)" "$@"
  (cd "$root" && find . -path ./DEBIAN -prune -o -path ./etc -prune -o -type f -printf '%P\0' | LC_ALL=C sort -z |
    xargs -0 md5sum >DEBIAN/md5sums)
  find "$root" -type d -exec chmod 0755 {} +
  find "$root" -path "$root/DEBIAN" -prune -o -type f -name '*.py' -exec chmod 0644 {} +
  dpkg-deb --root-owner-group -Zxz --build "$root" "$DIST/$name" >/dev/null
}

package_deb() {
  local root=$work/deb depends
  stage "Building the Debian package"
  mkdir -p "$root/DEBIAN" "$work/shlibs/debian"
  stage_program "$root/usr"
  rm "$root/usr/share/doc/openseat/LICENSE"
  gzip -9n <CHANGELOG.md >"$root/usr/share/doc/openseat/changelog.gz"
  rm "$root/usr/share/doc/openseat/CHANGELOG.md"
  fill "$root/usr/share/doc/openseat/copyright" packaging/debian/copyright \
    "LICENSE=$(sed -e 's/^$/./' -e 's/^/ /' LICENSE)"
  install -D -m 0644 packaging/openseat.service "$root/lib/systemd/system/openseat.service"
  mkdir -p "$root/etc/openseat"
  awk -v homepage="$HOMEPAGE" -f scripts/config_file.awk docs/configuration.md >"$root/etc/openseat/openseat.toml"
  echo /etc/openseat/openseat.toml >"$root/DEBIAN/conffiles"
  install -m 0755 packaging/debian/{postinst,prerm,postrm} "$root/DEBIAN/"
  printf 'Source: openseat\n\nPackage: openseat\nArchitecture: any\n' >"$work/shlibs/debian/control"
  depends=$(cd "$work/shlibs" && dpkg-shlibdeps -O -e"$root/usr/bin/openseat" | sed -n 's/^shlibs:Depends=//p')
  [[ -n $depends ]] || die "dpkg-shlibdeps found no dependencies of the program"
  build_deb "$root" packaging/debian/control "openseat_${VERSION}_$DEBIAN_ARCH.deb" "ARCHITECTURE=$DEBIAN_ARCH" "DEPENDS=$depends"
}

package_tar() {
  local name=openseat-$VERSION-linux-$ARCHIVE_ARCH
  local root=$work/$name
  stage "Building the archive"
  stage_program "$root"
  stage_libraries "$root/lib/openseat" "$root/share/doc/openseat/licenses" "$root/bin/openseat"
  awk -v homepage="$HOMEPAGE" -f scripts/config_file.awk docs/configuration.md >"$root/share/doc/openseat/openseat.toml"
  install -m 0644 packaging/openseat.service "$root/share/doc/openseat/"
  pack_tar "$root" "$DIST/$name.tar.gz"
}

# npm does not keep links, so the libraries are files named by their sonames; nothing is fetched or run at
# installation.
package_npm() {
  local root=$work/npm
  stage "Building the npm packages"
  mkdir -p "$root/openseat/bin" "$root/platform/bin"
  install -m 0755 packaging/npm/openseat.js "$root/openseat/bin/openseat.js"
  cp packaging/npm/README.md LICENSE "$root/openseat/"
  cp LICENSE "$root/platform/"
  install build/openseat "$root/platform/bin/openseat"
  strip --strip-unneeded "$root/platform/bin/openseat"
  stage_libraries "$root/platform/lib/openseat" "$root/platform/licenses" "$root/platform/bin/openseat"
  node scripts/npm_packages.mjs "$root" "$VERSION" "$HOMEPAGE" "$NPM_ARCH"
  (cd "$DIST" && npm pack --silent --ignore-scripts "$root/openseat" "$root/platform" >/dev/null) ||
    die "npm pack failed: see its message above"
}

# The image's root: the essential packages of Debian 12, the program's libraries, and the program; without documents.
package_image() {
  local packages
  stage "Building the container image"
  ((EUID == 0)) || die "Building the image's root file system requires root: sudo ./dev package image"
  packages=$(cut -d' ' -f3 "$work/libraries" | sort -u | paste -sd,)
  mkdir -p "$work/image/usr"
  stage_program "$work/image/usr"
  rm -r "$work/image/usr/share/"{man,bash-completion,zsh,fish}
  install -D -m 0755 packaging/image/health "$work/image/usr/lib/openseat/health"
  export OPENSEAT_STAGED=$work/image OPENSEAT_STATUS=$work/image.status
  # usr-is-merged: else Debian's essential packages bring usrmerge, and that all of Perl.
  mmdebstrap -q --variant=essential --include="$packages,ca-certificates,tzdata,usr-is-merged" \
    --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/bash-completion/*' \
    --customize-hook="$PWD/packaging/image/finish" \
    bookworm "$work/image.tar" || die "mmdebstrap could not create the image's root: see its message above"
  node scripts/image.mjs "$work/image.tar" "$DIST/openseat-$VERSION-image-linux-$DEBIAN_ARCH.tar" "$VERSION" "$HOMEPAGE" "$DEBIAN_ARCH"
}

# The wheel and the source archive of python/, and the wheel as a Debian package: they need neither the program nor pip.
package_python() {
  local root=$work/python packages
  packages=$root/usr/lib/python3/dist-packages
  stage "Building the Python package"
  /usr/bin/python3 python/build.py "$VERSION" "$DIST" >/dev/null || die "python/build.py failed: see its message above"
  mkdir -p "$packages" "$root/DEBIAN" "$root/usr/share/doc/python3-openseat"
  /usr/bin/python3 -m zipfile -e "$DIST/openseat-$VERSION-py3-none-any.whl" "$packages"
  rm "$packages/openseat-$VERSION.dist-info/"{LICENSE,RECORD,WHEEL}
  gzip -9n <CHANGELOG.md >"$root/usr/share/doc/python3-openseat/changelog.gz"
  cp -r python/examples "$root/usr/share/doc/python3-openseat/"
  fill "$root/usr/share/doc/python3-openseat/copyright" packaging/debian/copyright \
    "LICENSE=$(sed -e 's/^$/./' -e 's/^/ /' LICENSE)"
  install -m 0755 packaging/debian/python/{postinst,prerm} "$root/DEBIAN/"
  build_deb "$root" packaging/debian/python/control "python3-openseat_${VERSION}_all.deb"
}

# The entry for the registry of MCP servers: `mcp-publisher publish` sends it.
write_server_entry() {
  fill "$DIST/server.json" packaging/mcp/server.json
}

# The contents of the packages, in SPDX.
write_bill() {
  stage "Writing the bill of materials"
  dpkg-query -W -f '${db:Status-Abbrev}\t${Package}\t${Version}\t${source:Package}\n' | awk -F '\t' '$1 ~ /^ii/' >"$work/installed"
  node scripts/bill_of_materials.mjs "$VERSION" "$HOMEPAGE" "$DEBIAN_ARCH" "$work/libraries" "$work/installed" \
    "$([[ ! -f $work/image.status ]] || echo "$work/image.status")" >"$DIST/openseat-$VERSION.spdx.json"
}

# The checksums of this version's packages.
write_sums() {
  rm -f "$DIST/SHA256SUMS"
  (cd "$DIST" && sha256sum -- *) >"$work/SHA256SUMS"
  mv "$work/SHA256SUMS" "$DIST/"
}

package() {
  local kind kinds=() check=''
  while (($#)); do
    case $1 in
      --check) check=1 ;;
      all) kinds+=("${PACKAGES[@]}") ;;
      deb | tar | npm | image | python) kinds+=("$1") ;;
      *) wrong_usage "./dev package takes ${PACKAGES[*]}, all and --check; got '$1'" ;;
    esac
    shift
  done
  ((${#kinds[@]})) || kinds=("${PACKAGES[@]}")
  VERSION=$(project_version) HOMEPAGE=$(project_homepage)
  name_machine
  name_time
  if [[ -n $check ]]; then
    source scripts/package_check.sh
    check_packages "${kinds[@]}"
    return
  fi
  if [[ ${kinds[*]} == python ]]; then
    mkdir -p "$DIST"
    work=$(mktemp -d)
    package_python
    write_sums
    rm -rf --one-file-system "$work"
    end_stage
    ls -l "$DIST"
    return
  fi
  run_build openseat
  ensure_packages package
  [[ $(build/openseat --version) == "$VERSION" ]] || die "build/openseat is not version $VERSION"
  work=$PWD/build/package
  rm -rf --one-file-system "$work"
  mkdir -p "$work" "$DIST"
  libraries >"$work/libraries"
  for kind in "${kinds[@]}"; do "package_$kind"; done
  write_bill
  write_server_entry
  write_sums
  end_stage
  ls -l "$DIST"
}
