#!/bin/sh
# Makes a container image of a few megabytes out of this machine's own shell and basic programs, without a
# registry and without a network, and prints its name. Enough to try what a sandbox promises.
set -eu

programs="sh cat chmod chown cp cut env grep head id kill ls mkdir mv rm setsid sleep sort tail touch tr true wc"
# What is in the image depends on this script and on the programs: a change of either makes a new name.
found=
for program in $programs; do
    path=$(command -v "$program" || true)
    case $path in
        /*) ;;
        *) path=/usr/bin/$program ;; # a builtin of this shell
    esac
    [ -x "$path" ] || { echo "tiny-image: no program $program on this machine" >&2; exit 1; }
    found="$found $path"
done
hash=$(cat "$0" $found | sha256sum | cut -c1-12)
name=patchwright-tiny:$hash
if ! docker image inspect "$name" >/dev/null 2>&1; then
    root=$(mktemp -d)
    trap 'rm -rf "$root"' EXIT
    mkdir -p "$root/bin" "$root/usr/bin" "$root/tmp" "$root/etc" "$root/root" "$root/proc" "$root/dev"
    chmod 755 "$root"
    chmod 1777 "$root/tmp"
    echo 'root:x:0:0:root:/root:/bin/sh' > "$root/etc/passwd"
    echo 'root:x:0:' > "$root/etc/group"
    for path in $found; do
        cp -L "$path" "$root/bin/"
        # The libraries that it is linked with, and the loader, at their own places.
        for library in $(ldd "$path" 2>/dev/null | grep -o '/[^ ]*' || true); do
            mkdir -p "$root$(dirname "$library")"
            cp -L "$library" "$root$library"
        done
    done
    tar -C "$root" -c . | docker import --change 'ENV PATH=/bin:/usr/bin' - "$name" >/dev/null
fi
echo "$name"
