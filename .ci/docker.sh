# Starts a Docker engine where none answers, and stops the one it started. bash .ci/docker.sh start|stop
# Sourced by .ci/run; also for a developer who wants the PostgreSQL tests in a container.
# An engine that was there before is used as it is and never stopped.

docker_state=${ROWCAST_DOCKER_STATE:-/tmp/rowcast-dockerd}

docker_answers() { timeout 20 docker info --format '{{.ServerVersion}}' >/dev/null 2>&1; }

docker_start() {
	if docker_answers; then
		echo "docker: an engine answers already (version $(docker version --format '{{.Server.Version}}'))"
		return 0
	fi
	command -v dockerd >/dev/null || {
		echo "docker: no engine answers and there is no dockerd; on Debian: apt-get install docker.io iptables" >&2
		return 1
	}
	if [ "$(id -u)" != 0 ]; then
		echo "docker: starting an engine needs root" >&2
		return 1
	fi
	mkdir -p "$docker_state"
	local driver pid i
	# The engine picks its storage driver itself (overlay2 on ext4). Where it cannot, because its folder lies on an
	# overlay file system, vfs works everywhere; it only takes more room.
	for driver in '' vfs; do
		# setsid: an interrupt at the terminal must reach the script, whose trap ends the tests' containers first.
		setsid dockerd --pidfile "$docker_state/dockerd.pid" ${driver:+--storage-driver "$driver"} \
			>"$docker_state/log" 2>&1 </dev/null &
		pid=$!
		for ((i = 0; i < 120; i++)); do
			if docker_answers; then
				echo "$pid" >"$docker_state/started"
				echo "docker: started an engine (pid $pid, storage $(docker info --format '{{.Driver}}'), log $docker_state/log)"
				return 0
			fi
			kill -0 "$pid" 2>/dev/null || break
			sleep 0.5
		done
		if kill -0 "$pid" 2>/dev/null; then
			echo "docker: dockerd (pid $pid) runs but has not answered within a minute" >&2
		else
			echo "docker: dockerd ended at once${driver:+ with storage driver $driver}" >&2
		fi
		tail -n 15 "$docker_state/log" >&2
		docker_end "$pid"
	done
	return 1
}

# docker_end PID: a polite end, then a hard one; the wait is bounded, so that a run never hangs on its own tidying.
docker_end() {
	local i
	kill -TERM "$1" 2>/dev/null || return 0
	for ((i = 0; i < 60; i++)); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.5
	done
	kill -KILL "$1" 2>/dev/null || true
}

docker_stop() {
	[ -f "$docker_state/started" ] || return 0
	local pid
	pid=$(cat "$docker_state/started")
	# The number may belong to somebody else by now.
	if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ]; then docker_end "$pid"; fi
	rm -f "$docker_state/started"
	echo "docker: stopped the engine that was started here (pid $pid)"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	set -euo pipefail
	case ${1:-} in
	start) docker_start ;;
	stop) docker_stop ;;
	*)
		echo "usage: bash .ci/docker.sh start|stop" >&2
		exit 2
		;;
	esac
fi
