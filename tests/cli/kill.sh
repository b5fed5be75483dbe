#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Interruptions.  Whenever scantune is killed, the next run goes on, ends with the same set of choices, and leaves no
# child behind.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/quick.sh"

start() {
	"$scantune" --device emu --quick --db "$db" --type i32,f32 --op sum --count 1024,65536 "$@" \
		>"$tap_dir/killed" 2>&1 &
	pid=$!
}

# Until the database has a run, or for ten seconds.
wait_for() {
	tries=0
	until [ "$(query "$1" 2>/dev/null)" = 1 ] || [ $tries -gt 200 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
}

children_of() {
	ps -e -o pid=,ppid=,args= | grep -- '--worker=' | grep -v grep | grep -c "$scantune\|scantune" || true
}

SCANTUNE_FAULT=hang:lookback,block=512,items=24
export SCANTUNE_FAULT
start
wait_for "SELECT count(*) > 0 FROM trial WHERE status = 'running'"
kill -9 "$pid"
wait "$pid" 2>/dev/null
unset SCANTUNE_FAULT
is "$(query "SELECT status FROM run")" running "a killed run is still running in the database"
is "$(query "SELECT count(*) > 1 FROM trial WHERE status = 'running'")" 1 "and so is its batch"

start
sleep 0.1
wait "$pid"
is $? 0 "the next run completes"
is "$(query "SELECT group_concat(status) FROM run")" "interrupted,complete" "the killed one is marked as interrupted"
is "$(query "SELECT count(*) FROM choice")" 4 "all choices are made"
is "$(query "SELECT count(*) FROM trial t WHERE run = 2 AND note LIKE 'alone%'")" 0 "no trial alone is left"

# Killed again and again, at moments of chance, it comes to the same end.
rm -f "$db"
rounds=0
while [ $rounds -lt 6 ]; do
	start
	sleep "0.$((2 + rounds * 3 % 7))"
	kill -9 "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	rounds=$((rounds + 1))
done
start
wait "$pid"
is $? 0 "after six kills a run completes"
is "$(query "SELECT count(*) FROM choice")" 4 "with all choices"
is "$(query "SELECT count(*) FROM run WHERE status = 'running'")" 0 "and no run is left open"
is "$(query "PRAGMA integrity_check")" ok "and the database is sound"

# A variant that takes the tuner down with it, as a kernel that freezes the machine would.
rm -f "$db"
culprit=lookback,block=512,items=24
deaths=0
while [ $deaths -lt 5 ]; do
	SCANTUNE_FAULT=hang:$culprit "$scantune" --device emu --quick --db "$db" --type i32 --op sum --count 1024 \
		>"$tap_dir/killed" 2>&1 &
	pid=$!
	wait_for "SELECT count(*) > 0 FROM trial t JOIN variant v ON v.id = t.variant WHERE v.text = '$culprit'
		AND t.status = 'running' AND t.run = (SELECT max(id) FROM run) AND t.run = $deaths + 1"
	sleep 0.5
	kill -9 "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null && break
	deaths=$((deaths + 1))
	[ "$(query "SELECT count(*) FROM run WHERE status = 'complete'")" = 1 ] && break
done
ok "a variant that kills the tuner each time is given up" test "$deaths" -le 4
diag "runs that died: $deaths"
is "$(query "SELECT status FROM poison JOIN variant v ON v.id = variant WHERE v.text = '$culprit'")" crash \
	"and is marked as crashing"

# Ctrl-C.
rm -f "$db"
start
wait_for "SELECT count(*) > 0 FROM trial WHERE status = 'running'"
kill -INT "$pid"
wait "$pid"
is $? 2 "an interrupted run exits with 2"
like "$(cat "$tap_dir/killed")" "goes on from here" "and says how to go on"
is "$(query "SELECT status FROM run")" interrupted "and is interrupted in the database"

# One tuner a device.
rm -f "$db"
SCANTUNE_FAULT=hang:lookback,block=512,items=24
export SCANTUNE_FAULT
start
wait_for "SELECT count(*) > 0 FROM trial WHERE status = 'running'"
unset SCANTUNE_FAULT
fails "a second tuner of the same device exits with 4" 4 "$scantune" --device emu --quick --db "$db" --type i32 \
	--op sum --count 1024
like "$(cat "$tap_dir/.output")" "process $pid is tuning this device" "and names the first"
others=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	("$scantune" --device emu --quick --db "$db" --type f32 --op sum --count 1024 >"$tap_dir/other-$i" 2>&1
	echo $? >"$tap_dir/status-$i") &
	others="$others $!"
done
# shellcheck disable=SC2086
wait $others
is "$(cat "$tap_dir"/status-* | sort | uniq -c | tr -s ' ')" " 15 4" "so do fifteen that start at once"
is "$(grep -l "process $pid is tuning this device" "$tap_dir"/other-* | wc -l)" 15 "and each names the one at work"
kill -INT "$pid"
wait "$pid"
sleep 0.3
is "$(pgrep -P "$pid" 2>/dev/null | wc -l)" 0 "no child is left"

# Whenever it is interrupted, it says so; it never takes that for a fault of the device.
unset SCANTUNE_FAULT
amiss=
for moment in 02 04 05 06 08 10 12 14 17 20; do
	rm -f "$db"
	start
	sleep "0.$moment"
	kill -TERM "$pid" 2>/dev/null
	wait "$pid"
	status=$?
	case $status in
	0 | 2 | 143) ;;
	*) amiss="$amiss $moment: exit status $status, $(cat "$tap_dir/killed");" ;;
	esac
	case $(query 'SELECT group_concat(status) FROM run' 2>/dev/null) in
	*failed*) amiss="$amiss $moment: a failed run;" ;;
	esac
done
is "$amiss" "" "interrupted early or late, a run is interrupted or complete"
done_testing
