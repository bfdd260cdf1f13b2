#!/bin/sh
# Makes the container image of the tests, with the tool chains of both languages, out of Debian packages, without a registry, and
# prints its name. Wants root, mmdebstrap and Docker. The archive is kept in $PATCHWRIGHT_CACHE (default: target/cache), so that
# packages are downloaded once.
set -eu

release=bookworm
mirror=${PATCHWRIGHT_MIRROR:-http://deb.debian.org/debian}
packages=git,patch,python3,python3-coverage,python3-pytest,openjdk-17-jdk-headless,junit4,libjacoco-java

here=$(cd "$(dirname "$0")/.." && pwd)
cache=${PATCHWRIGHT_CACHE:-$here/target/cache}
# What is in the image depends on this script: a change of it makes a new name.
hash=$(sha256sum <"$0" | cut -c1-12)
name=patchwright-test:$hash
archive=$cache/patchwright-test-$hash.tar

mkdir -p "$cache"
# Whoever comes second waits for the image of the first.
exec 9>"$cache/lock"
flock 9
if docker image inspect "$name" >/dev/null 2>&1; then
    echo "$name"
    exit 0
fi
if [ ! -f "$archive" ]; then
    command -v mmdebstrap >/dev/null || { echo "test-image: install mmdebstrap" >&2; exit 1; }
    [ "$(id -u)" = 0 ] || { echo "test-image: run this as root" >&2; exit 1; }
    # Under another name first: an archive that was cut short must not be taken for a whole one.
    mmdebstrap --quiet --mode=root --variant=apt --format=tar --include="$packages" \
        --dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        "$release" "$archive.part" "$mirror" >"$archive.log" 2>&1 || {
        tail -n 30 "$archive.log" >&2
        exit 1
    }
    mv "$archive.part" "$archive"
fi
docker import --change 'ENV PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin' \
    --change 'ENV LANG=C.UTF-8' "$archive" "$name" >/dev/null
echo "$name"
