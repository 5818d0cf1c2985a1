# SPDX-License-Identifier: Apache-2.0
# fresh.bash - a bare Debian in a folder, for tools/fresh-machine, tools/fresh-packages and tools/fresh-systemd,
# which source it.
# Nothing of this machine's caches is visible inside, but its package mirror, its settings of apt and pip, and the certificates that it
# trusts, which Node wants to be told of. What was started inside ends with its command, and the mounts with the script.

fail() { echo "${0##*/}: $*" >&2 && exit 1; }

# fresh_begin FOLDER ARG...: starts the script once more with its ARGs, in a mount namespace of its own: no mount outlives it, however
# it ends. Sets folder and root.
fresh_begin() {
    folder=$(realpath -m "$1") root=$(realpath -m "$1")/root
    shift
    [ "${FRESH_INSIDE:-}" != "$folder" ] || return 0
    [ "$(id -u)" = 0 ] || fail "run as root: it makes a root folder and enters it"
    command -v debootstrap >/dev/null || fail "debootstrap is not here (Debian: apt-get install debootstrap)"
    [ ! -e "$folder" ] || fail "$folder is there already; name a folder to be made"
    FRESH_INSIDE=$folder exec unshare --mount --propagation private "$0" "$@"
}

# fresh_make SUITE: the bare Debian, with lists of packages.
fresh_make() {
    local suite=$1 mirror part file
    mkdir -p "$root"
    mirror=$(apt-get indextargets --format '$(COMPONENT) $(REPO_URI)' "Created-By: Packages" | awk '$1 == "main" { print $2; exit }')
    [ -n "$mirror" ] || fail "no Debian mirror in the package sources of this machine"
    debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$folder/debootstrap.log" 2>&1 ||
        fail "debootstrap failed; see $folder/debootstrap.log"
    for part in "" -updates; do echo "deb $mirror $suite$part main"; done >"$root/etc/apt/sources.list"
    echo "deb ${mirror%/debian*}/debian-security $suite-security main" >>"$root/etc/apt/sources.list"
    for file in $(grep -ls Acquire /etc/apt/apt.conf /etc/apt/apt.conf.d/* || true); do cp "$file" "$root/etc/apt/apt.conf.d/"; done
    [ ! -e /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
    mkdir -p "$root/usr/local/share/ca-certificates" "$root/etc/ssl/certs"
    cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
    cp -rL /etc/ssl/certs/. "$root/etc/ssl/certs/"
    for part in sys dev dev/pts dev/shm; do mount --bind "/$part" "$root/$part"; done
    fresh_inside 'apt-get update -qq' >"$folder/update.log" 2>&1 || fail "apt-get update failed; see $folder/update.log"
}

# fresh_inside COMMANDS: runs them inside, in a process namespace of its own.
fresh_inside() {
    unshare --pid --fork --kill-child --mount-proc="$root/proc" chroot "$root" \
        env -i HOME=/srv LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -c "cd /srv; $1" </dev/null
}
