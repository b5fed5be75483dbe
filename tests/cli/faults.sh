#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Variants that are wrong, hang, crash or do not compile: each costs what it costs, is recorded as what it is, and is
# never chosen.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/quick.sh"

status_of() {
	query "SELECT t.status FROM trial t JOIN variant v ON v.id = t.variant WHERE v.text = '$1' AND t.class = ''
		ORDER BY t.id DESC LIMIT 1"
}

wrong=lookback,block=512,items=24
hang=lookahead,block=512,stages=6,ahead=3
crash=block,block=1024
first=block,items=8
chosen() {
	query "SELECT count(*) FROM choice c JOIN variant v ON v.id = c.variant WHERE v.text = '$1'"
}

SCANTUNE_FAULT="wrong:$wrong;hang:$hang;crash:$crash"
export SCANTUNE_FAULT
ok "a run with three planted faults completes" tune
is "$(status_of "$wrong")" wrong "the wrong variant is found"
is "$(status_of "$hang")" timeout "the hanging variant is found"
is "$(status_of "$crash")" crash "the crashing variant is found"
like "$(query "SELECT note FROM trial WHERE status = 'crash'")" "signal 11" "with the signal that ended the worker"
like "$(query "SELECT note FROM trial WHERE status = 'wrong'")" "wanted" "with what was wanted and seen"
is "$(query 'SELECT count(*) FROM failures')" 3 "the view failures has all three"
is "$(query 'SELECT count(*) FROM choice')" 2 "the choices are made all the same"
is "$(chosen "$wrong")$(chosen "$hang")$(chosen "$crash")" 000 "none of the three is chosen"
is "$(query 'SELECT count(*) FROM run WHERE status = "complete"')" 1 "the run counts as complete"
SCANTUNE_FAULT="wrong:$wrong;fast:$wrong"
ok "a run with a variant that is wrong and very fast completes" tune
is "$(status_of "$wrong")" wrong "it is found to be wrong"
is "$(query "SELECT count(*) FROM trial t JOIN variant v ON v.id = t.variant WHERE v.text = '$wrong' AND t.us > 0
	AND t.run = (SELECT max(id) FROM run)")" 0 "before anybody looks at its times"
is "$(chosen "$wrong")" 0 "and is not chosen"
SCANTUNE_FAULT="poison:$hang;fast:$wrong"
streaming() {
	"$scantune" --device emu --quick --db "$db" --type f32 --op max --count 1024,2097152
}
ok "a run with a variant that poisons the context, and one that is too fast, completes" streaming
is "$(status_of "$hang")" crash "the one that poisons the context is found"
like "$(query "SELECT note FROM trial WHERE status = 'crash' ORDER BY id DESC LIMIT 1")" "ILLEGAL_ADDRESS" \
	"with what the driver said"
is "$(status_of "$wrong")" implausible "the one that beats a copy is not believed"
like "$(query "SELECT note FROM trial WHERE status = 'implausible'")" "where a copy takes" "and the note says why"
is "$(query "SELECT count(*) FROM choice c JOIN problem p ON p.id = c.problem WHERE p.name = 'max f32'")" 2 \
	"the choices are made all the same"
is "$(query "SELECT count(*) FROM choice c JOIN problem p ON p.id = c.problem JOIN variant v ON v.id = c.variant
	WHERE p.name = 'max f32' AND v.text IN ('$hang', '$wrong')")" 0 "and neither is chosen"
unset SCANTUNE_FAULT
ok "a run without the faults completes" tune
is "$(status_of "$wrong")$(status_of "$hang")$(status_of "$crash")" okokok "and finds nothing wrong"

# On a busy machine: ten per cent of noise, and a process of its own for the last word.
rm -f "$db"
SCANTUNE_TEST_NOISE=0.1
export SCANTUNE_TEST_NOISE
ok "a run on a noisy machine completes" streaming
is "$(query "SELECT count(*) > 0 FROM trial WHERE stage = 'final' AND low_ratio < high_ratio")" 1 \
	"with the intervals of the finalists' ratios"
is "$(query "SELECT count(*) FROM choice WHERE border IN ('measured', 'middle', 'reach', 'open')")" 2 \
	"and tells what ends each range"
unset SCANTUNE_TEST_NOISE

# Whoever kills the device's process, the variant that it was at is innocent: it is asked again.
for stage in load verify time; do
	rm -f "$db"
	: >"$tap_dir/once"
	SCANTUNE_FAULT="kill-$stage:$wrong" SCANTUNE_FAULT_ONCE="$tap_dir/once"
	export SCANTUNE_FAULT SCANTUNE_FAULT_ONCE
	ok "a run whose worker is killed from outside (kill-$stage) completes" tune
	ok "it was killed" test ! -e "$tap_dir/once"
	is "$(query "SELECT count(*) FROM trial WHERE status NOT IN ('ok', 'pruned')")" 0 "and no variant is blamed"
done
rm -f "$db"
: >"$tap_dir/once"
SCANTUNE_FAULT="kill-time:$first"
ok "a run whose worker is killed at its very first kernel completes, too" tune
ok "it was killed there" test ! -e "$tap_dir/once"
unset SCANTUNE_FAULT SCANTUNE_FAULT_ONCE

rm -f "$db"
winner=$(tune >/dev/null && query "SELECT v.text FROM choice c JOIN variant v ON v.id = c.variant
	WHERE c.count = 16384")
# All but the slowest, the default among them: the race had put that one out by then.
close=$(query "SELECT group_concat('late:' || text, ';') FROM (SELECT v.text FROM trial t JOIN variant v
	ON v.id = t.variant WHERE t.count = 16384 AND t.status = 'ok' ORDER BY t.us DESC LIMIT -1 OFFSET 1)")
rm -f "$db"
SCANTUNE_FAULT="wrong:$winner"
export SCANTUNE_FAULT
ok "a run in which the fastest is wrong completes" tune
is "$(chosen "$winner")" 0 "and chooses another"
rm -f "$db"
SCANTUNE_FAULT="$close"
ok "a run in which the fastest are wrong in their last test completes" tune
is "$(status_of "$winner")" wrong "which is recorded"
is "$(chosen "$winner")" 0 "and it chooses another"
is "$(query 'SELECT count(*) FROM choice')" 2 "for every class"
unset SCANTUNE_FAULT

rm -f "$db"
default=$(tune --json | sed -n 's/.*"count":16384,.*"default":"\([^"]*\)".*/\1/p')
rm -f "$db"
SCANTUNE_FAULT="late:$default"
export SCANTUNE_FAULT
ok "a run in which the default is wrong in its last test completes" tune
is "$(status_of "$default")" wrong "which is recorded"
is "$(query 'SELECT count(*) FROM choice WHERE count = 16384 AND default_us > 0')" 0 \
	"and no gain is told over what no program could have"
like "$("$scantune" why i32 sum 16384 --db "$db" | grep -F -- "  $default ")" "  wrong: " \
	"nor does why show its time without what was wrong"
unset SCANTUNE_FAULT

rm -f "$db"
SCANTUNE_TEST_REFUSES=-DSCAN_BLOCK=384
export SCANTUNE_TEST_REFUSES
ok "a run in which some variants do not compile completes" tune
is "$(query "SELECT count(*) > 0 FROM trial WHERE status = 'compile'")" 1 "and records them as that"
like "$(query "SELECT note FROM trial WHERE status = 'compile' LIMIT 1")" "as the test wants it" \
	"with the compiler's message"
unset SCANTUNE_TEST_REFUSES

rm -f "$db"
# In blocks of 512 bytes: not even an empty database fits, or no more than its tables do.
for blocks in 0 32; do
	limited() {
		(ulimit -f "$blocks" && tune)
	}
	fails "a file that may not grow beyond $blocks blocks is an error of the database" 4 limited
	ok "and a run without the limit makes up for it" tune
	is "$(query 'PRAGMA integrity_check')" ok "in a whole database"
	rm -f "$db"
done

# A disk that is full, which is another error than a file that may not grow: a small file system of a namespace's own.
cat >"$tap_dir/disk.sh" <<'EOF'
mount -t tmpfs -o size="$1" none "$2" || exit 99
shift 2
"$@"
said=$?
df --output=avail "$full" | tail -1 >"$full.left"
mount -t tmpfs -o remount,size=16m none "$full" || exit 98
"$@" >"$full.after" 2>&1
echo $? >>"$full.after"
"$SQLITE3" "$db" 'PRAGMA integrity_check' >"$full.whole"
exit $said
EOF
full=$tap_dir/full
mkdir "$full"
on_disk() { # of this size, a command: its status, after which the disk grows and it is run again
	size=$1
	shift
	rm -f "$full".*
	db=$full/tune.db full=$full SQLITE3=$SQLITE3 unshare -rm sh "$tap_dir/disk.sh" "$size" "$full" "$@"
}
if unshare -rm mount -t tmpfs none "$full" 2>/dev/null; then
	for size in 64k 128k; do
		fails "a disk of $size that is full is an error of the database" 4 on_disk "$size" "$scantune" \
			--device emu --quick --db "$full/tune.db" --type i32 --op sum --count 1024,16384
		like "$(cat "$tap_dir/.output")" "tune.db: " "and the message names the file"
		is "$(tail -n 1 "$full.after")" 0 "on the larger disk the next run completes"
		is "$(cat "$full.whole")" ok "in a whole database"
	done
	ok "a program that keeps what it compiles does so where the disk is full" on_disk 32k env \
		SCANRT_DB="$full/tune.db" SCANRT_WRITE_CACHE=1 SCANRT_LOG=stderr "$scantune" bench --device emu \
		--type i32 --op sum --count 1000
	like "$(cat "$tap_dir/.output")" "nothing is kept: " "and keeps nothing, as its account tells"
	like "$(cat "$full.after")" "is kept" "which it does once there is room"
	is "$(cat "$full.whole")" ok "in a whole database"
else
	skip 12 "no namespaces to have a small file system in"
fi

rm -f "$db"
SCANTUNE_TEST_KILLS=-DSCAN_BLOCK=384
export SCANTUNE_TEST_KILLS
ok "a run in which the compiler dies on some variants completes" tune
like "$(query "SELECT note FROM trial WHERE status = 'compile' LIMIT 1")" "exit status 9" "and records how it died"
unset SCANTUNE_TEST_KILLS

rm -f "$db"
SCANTUNE_TEST_REFUSES=-DSCAN_EXCLUSIVE=1
export SCANTUNE_TEST_REFUSES
fails "without a build in every mode nothing is chosen" 2 tune
is "$(query 'SELECT count(*) FROM choice')" 0 "since a choice is for both modes"
unset SCANTUNE_TEST_REFUSES

rm -f "$db"
fails "a device that refuses machine code, asked for by name, exits with 3" 3 tune --codegen sass
like "$(cat "$tap_dir/.output")" "NO_BINARY_FOR_GPU" "and says why"
SCANRT_LIBNVRTC=$tap_dir/none.so
export SCANRT_LIBNVRTC
fails "without a compiler tuning exits with 3" 3 tune
like "$(cat "$tap_dir/.output")" "none.so" "and says why"
is "$(query 'SELECT count(*) FROM run')" 0 "and no run is recorded"
fails "a run without a compiler exits with 3" 3 env SCANRT_LIBNVRTC= "$scantune" --device emu --db "$db" --type i32
is "$(cat "$tap_dir/.output")" "scantune: the first kernel: SCANRT_LIBNVRTC is set to nothing: no NVRTC is to be used" \
	"and says so once"

if command -v timeout >/dev/null 2>&1; then
	hanging() {
		timeout -k 30 -s INT 2 env SCANTUNE_TEST_HANGS=1 "$scantune" --device 0 --db "$db" \
			>"$tap_dir/said" 2>&1 && return
		# timeout's own status is 124, or 137 where it had to kill.
		[ $? -eq 124 ] && grep -q interrupted "$tap_dir/said"
	}
	ok "Ctrl-C ends a run whose device does not even open" hanging
else
	skip 1 "no timeout(1)"
fi
done_testing
