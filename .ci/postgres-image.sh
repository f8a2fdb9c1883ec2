#!/usr/bin/env bash
# Makes a PostgreSQL image out of Debian's own packages, for machines that reach no image registry, and prints its name.
# Needs root, debootstrap and a Docker engine that answers. Takes about a minute, and no time when the image is there.
# It takes the settings of the official image that tests use: POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB, and
# arguments after "postgres". Like that one it starts the server twice: first without TCP to make the database, then
# for good. So "ready to accept connections" in its log means nothing until it stands there twice.
#
# usage: .ci/postgres-image.sh [NAME]     (default rowcast/postgres:debian)
set -euo pipefail

name=${1:-rowcast/postgres:debian}
recipe=$(sha256sum "${BASH_SOURCE[0]}" | cut -c1-16)
if [ "$(docker image inspect --format '{{index .Config.Labels "recipe"}}' "$name" 2>/dev/null || true)" = "$recipe" ]; then
	echo "$name"
	exit 0
fi

suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
# The mirror this machine is set up with, in the newer or the older notation.
mirror=$(sed -n 's/^URIs: *\([^ ]*\).*/\1/p' /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n 1)
if [ -z "$mirror" ]; then
	mirror=$(sed -n 's/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' /etc/apt/sources.list 2>/dev/null | head -n 1)
fi
if [ -z "$mirror" ]; then
	echo "postgres-image: no Debian mirror found in /etc/apt" >&2
	exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
if ! debootstrap --variant=minbase --include=postgresql "$suite" "$root" "$mirror" >"$work/log" 2>&1; then
	echo "postgres-image: debootstrap of $suite from $mirror failed:" >&2
	tail -n 20 "$work/log" >&2
	exit 1
fi

# What a server in a container does not need.
rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale}/* "$root"/var/lib/postgresql/*
chmod 1777 "$root/tmp"

cat >"$root/usr/local/bin/start-postgres" <<'ENTRY'
#!/bin/bash
set -euo pipefail
export PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
export PGDATA=${PGDATA:-/var/lib/postgresql/data}
user=${POSTGRES_USER:-postgres}
export PGPASSWORD=${POSTGRES_PASSWORD:-postgres}
database=${POSTGRES_DB:-$user}

# The server refuses to run as root: the first pass, as root, only hands the folders over.
if [ "$(id -u)" = 0 ]; then
	install -d -o postgres -g postgres -m 700 "$PGDATA"
	install -d -o postgres -g postgres /var/run/postgresql
	exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
	# No fsync: the cluster is thrown away with its container.
	initdb --no-sync --username="$user" --pwfile=<(echo "$PGPASSWORD") --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 >/dev/null
	echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
	if [ "$database" != postgres ]; then
		pg_ctl --wait --options='-c listen_addresses=' start
		createdb --username="$user" "$database"
		pg_ctl --wait --mode=fast stop
	fi
fi

if [ "${1:-}" = postgres ]; then shift; fi
exec postgres -c listen_addresses='*' "$@"
ENTRY
chmod 755 "$root/usr/local/bin/start-postgres"

tar -C "$root" -c . | docker import \
	--change "LABEL recipe=$recipe" \
	--change 'ENTRYPOINT ["start-postgres"]' \
	--change 'CMD ["postgres"]' \
	--change 'EXPOSE 5432' \
	- "$name" >/dev/null
echo "$name"
