#!/bin/sh
# Makes a container image with a tool chain for tests out of Debian packages, without a registry, and prints its
# name. Wants root, debootstrap and Docker. The archive is kept in $PATCHWRIGHT_CACHE (default: target/cache), so
# that packages are downloaded once.
#
#   scripts/test-image.sh                              Python and pytest
#   scripts/test-image.sh openjdk-17-jdk-headless junit4   these packages instead
set -eu

release=bookworm
mirror=${PATCHWRIGHT_MIRROR:-http://deb.debian.org/debian}
[ $# -gt 0 ] || set -- python3 python3-pytest
packages=$(printf '%s\n' "$@" | sort -u | paste -sd, -)

here=$(cd "$(dirname "$0")/.." && pwd)
cache=${PATCHWRIGHT_CACHE:-$here/target/cache}
# What is in the image depends on this script and on the packages: a change of either makes a new name.
hash=$({ cat "$0"; echo "$release $packages"; } | sha256sum | cut -c1-12)
name=patchwright-test:$hash
archive=$cache/patchwright-test-$hash.tar

if docker image inspect "$name" >/dev/null 2>&1; then
    echo "$name"
    exit 0
fi
if [ ! -f "$archive" ]; then
    command -v debootstrap >/dev/null || { echo "test-image: install debootstrap" >&2; exit 1; }
    [ "$(id -u)" = 0 ] || { echo "test-image: run this as root" >&2; exit 1; }
    mkdir -p "$cache"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    debootstrap --variant=minbase --include="$packages" "$release" "$work/root" "$mirror" >"$work/log" 2>&1 || {
        tail -n 30 "$work/log" >&2
        exit 1
    }
    # Nothing that only an installer needs, and no document.
    rm -rf "$work"/root/var/cache/apt/* "$work"/root/var/lib/apt/lists/* "$work"/root/usr/share/doc/* \
        "$work"/root/usr/share/man/* "$work"/root/usr/share/locale/*
    # Under another name first: an archive that was cut short must not be taken for a whole one.
    tar -C "$work/root" --exclude=./dev/* --exclude=./proc/* --exclude=./sys/* -cf "$archive.part" .
    mv "$archive.part" "$archive"
fi
docker import --change 'ENV PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin' \
    --change 'ENV LANG=C.UTF-8' "$archive" "$name" >/dev/null
echo "$name"
