#!/usr/bin/env bash
# A PostgreSQL server on this machine, with its data and its socket in a folder of its own.
#
# usage: tests/postgres/server.sh DIR up|down|start|stop|kill|backup|restore
#
# `up` makes it and prints its address. `kill` ends it without a checkpoint, as a crash does. `backup` keeps a copy of its data, to which
# `restore` sets it back. It needs Debian's postgresql; as root it runs as the user `postgres`.
set -euo pipefail

dir=$(realpath -m "$1")
data="$dir/data"
bin=$(dirname "$(ls -d /usr/lib/postgresql/*/bin/pg_ctl 2>/dev/null | sort -V | tail -n 1 || command -v pg_ctl)")

# A server refuses to run as root.
as_owner() {
    if [ "$(id -u)" = 0 ]; then
        setpriv --reuid=postgres --regid=postgres --clear-groups -- "$@"
    else
        "$@"
    fi
}

start() { as_owner "$bin/pg_ctl" --silent --wait --timeout=60 -D "$data" -l "$dir/log" start; }
stop() { as_owner "$bin/pg_ctl" --silent --wait -D "$data" --mode="$1" stop; }

case "$2" in
up)
    mkdir -p "$dir"
    [ "$(id -u)" != 0 ] || chown postgres "$dir"
    chmod 711 "$dir"
    echo secret >"$dir/password"
    as_owner "$bin/initdb" --no-sync --auth=scram-sha-256 --username=owner --pwfile="$dir/password" -D "$data" >/dev/null
    port=$((30000 + $$ % 10000))
    cat >>"$data/postgresql.conf" <<END
listen_addresses = '127.0.0.1'
unix_socket_directories = '$dir'
port = $port
max_connections = 200
END
    start
    echo "postgres://owner@127.0.0.1:$port/postgres"
    ;;
start) start ;;
stop) stop fast ;;
kill) stop immediate ;;
down) stop immediate || true ;;
backup)
    stop fast
    rm -rf "$dir/backup"
    cp -a "$data" "$dir/backup"
    start
    ;;
restore)
    stop immediate
    rm -rf "$data"
    cp -a "$dir/backup" "$data"
    start
    ;;
esac
