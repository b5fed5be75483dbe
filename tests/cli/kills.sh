#!/bin/sh
# SPDX-License-Identifier: MIT
#
# kill -9 of the tuner, of its GPU's worker or of a compiler, at moments of chance.  After each the database opens and
# is whole; and the run that goes on from there ends with the choices of one that nobody disturbed.  SCANRT_TEST_KILLS
# says how many moments (12), SCANRT_TEST_SEED which.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/quick.sh"
kills=${SCANRT_TEST_KILLS:-12}
random=${SCANRT_TEST_SEED:-1}
diag "seed $random, $kills kills"

# The minimal standard generator of Park and Miller.
draw() {
	random=$(((random * 16807) % 2147483647))
}
start() {
	"$scantune" --device emu --quick --db "$db" --type i32,f32 --op sum --count 1024,65536 --jobs 2 \
		>"$tap_dir/said" 2>&1 &
	pid=$!
}
choices() {
	query 'SELECT group_concat(name || class || text || high_count)
		FROM (SELECT p.name, c.class, v.text, c.high_count
		FROM choice c JOIN problem p ON p.id = c.problem JOIN variant v ON v.id = c.variant ORDER BY 1, 2)'
}
# The pid of a child of the tuner with this role, or nothing.
child() {
	ps -o pid=,args= --ppid "$pid" 2>/dev/null | awk -v role="--worker=$1" 'index($0, role) { print $1; exit }'
}

start
wait "$pid"
is $? 0 "an undisturbed run completes"
wanted=$(choices)
lasted=$(query "SELECT max(1, sum(seconds)) FROM runs")
diag "it took up to $((lasted + 1)) s"

rm -f "$db"
unsound=
children=
done_kills=0
while [ "$done_kills" -lt "$kills" ]; do
	start
	draw
	sleep "0.$(printf '%03d' $((random % 700)))"
	draw
	case $((random % 3)) in
	0) victim=$pid ;;
	1) victim=$(child gpu) ;;
	2) victim=$(child compile) ;;
	esac
	children="$children $(ps -o pid= --ppid "$pid" 2>/dev/null | tr '\n' ' ')"
	# A worker that is not there, or not any more, is as good a moment as any other.
	[ -n "$victim" ] && kill -9 "$victim" 2>/dev/null
	draw
	# Half of the time whatever it left goes on for a while, else it is ended too.
	[ $((random % 2)) -eq 0 ] && kill -9 "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	done_kills=$((done_kills + 1))
	[ -s "$db" ] || continue
	# An interrupted write is rolled back by whoever may write, as the shell here.
	sound=$(query 'PRAGMA integrity_check' 2>&1)
	if [ -s "$db" ]; then
		"$scantune" doctor --db "$db" >"$tap_dir/doctor" 2>&1
		grep -q '^bad' "$tap_dir/doctor" && unsound="$unsound
kill $done_kills: $(grep '^bad' "$tap_dir/doctor")"
	fi
	[ "$sound" = ok ] || unsound="$unsound
kill $done_kills: $sound"
	# Begin anew now and then, or the later kills would find nothing to do.
	[ "$(query "SELECT count(*) > 0 FROM run WHERE status = 'complete'" 2>/dev/null)" = 1 ] && rm -f "$db"
done
is_empty "$unsound" "after each of $kills kills the database opens, is whole, and its hashes fit"
start
wait "$pid"
is $? 0 "then a run completes"
is "$(choices)" "$wanted" "with the same choices as an undisturbed one"
is "$(query "SELECT count(*) FROM poison")" 0 "and no variant is blamed for what was done to a process"
is "$(query "SELECT count(*) FROM run WHERE status = 'running'")" 0 "no run is left open"
sleep 0.2
left=
for child in $children; do
	case $(ps -o args= -p "$child" 2>/dev/null) in
	*--worker=*) left="$left $child" ;;
	esac
done
is_empty "$left" "no child is left"
done_testing
