#!/bin/sh
# SPDX-License-Identifier: MIT
#
# h200.sh [-o FOLDER] [-t SECONDS] [SECTION...]: runs on a machine with a GPU, in a folder that pack.sh made, and
# leaves a few files in FOLDER (default: $OUT, else results).  Sections, in this order when none is named:
#
#   info      the GPU, the driver, the libraries                                        seconds
#   tune      scantune --quick from an empty database, and what it chose                2 minutes
#   first     cold start: fresh processes, with the database and without                seconds
#   lines     line_index on a text of over 100 MB, with no compiler to be found         seconds
#   compare   the strategies, CUB, Thrust and copies in one table, and over the count   1 minute
#   table     every target, with CUB and copies in the same run                         2-3 minutes
#   gpu       the test tier gpu, its programs side by side                              1 minute
#   sanitize  memcheck, racecheck, synccheck, initcheck on small counts                 2 minutes
# and only when named:
#   normal    scantune without --quick, tuned / default of each problem, then recheck    3-4 minutes
#   twice     the same with another seed, and scantune diff of the two                  as much again
#   kill      scantune killed at random moments, then run to its end                    4 minutes
#   long      counts beyond 2^32, and a soak                                            4 minutes
#   quicktable  a part of table, in 45 seconds
#   user      the rows of table with types and operators of the caller's, and CUB's    40 seconds
#
# Each section has a time limit; one that fails or runs out does not stop the next.  Exit status: how many failed.
set -u

here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-results}
limit=200
while getopts o:t: option; do
	case $option in
	o) out=$OPTARG ;;
	t) limit=$OPTARG ;;
	*) exit 64 ;;
	esac
done
shift $((OPTIND - 1))
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bin=$here/bin
# The driver comes first where it is; the stage's own library is only libscanrt.
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PATH="$PATH:/usr/local/cuda/bin"
export HOME="$work"
unset SCANRT_DB SCANRT_VARIANT SCANRT_LOG SCANRT_DRIVER XDG_CACHE_HOME
database=$out/tune.db
# Of the sections normal and twice; say "--type i32,f32 --op sum" where there is less time.
tune_options=${TUNE_OPTIONS:-}
commit=$(cat "$here/commit")
failed=0

say() { printf '%s\n' "$*" | tee -a "$out/summary.txt"; }

# Runs one section in a time limit, with its output in the log and its verdict in the summary.
section() {
	name=$1
	begin=$(date +%s)
	say "== $name"
	if "section_$name" >"$work/$name.log" 2>&1; then verdict=ok; else verdict=FAILED; failed=$((failed + 1)); fi
	{ printf '======== %s\n' "$name"; cat "$work/$name.log"; } >>"$out/log.txt"
	[ ! -f "$work/$name.say" ] || tee -a "$out/summary.txt" <"$work/$name.say"
	[ $verdict = ok ] || tail -n 25 "$work/$name.log"
	say "== $name: $verdict in $(($(date +%s) - begin)) s"
}
# A line of a section that belongs into the summary too.
tell() { printf '%s\n' "$*" | tee -a "$work/$name.say"; }
with_limit() { timeout -k 5 "$limit" "$@"; }
with_longer_limit() { timeout -k 5 "$((limit * 3 / 2))" "$@"; }

section_info() {
	queried=name,driver_version,memory.total,clocks.max.sm,clocks.max.mem,ecc.mode.current,mig.mode.current
	nvidia-smi --query-gpu=$queried --format=csv,noheader | while read -r line; do tell "$line"; done
	uname -rm
	nvcc --version | tail -n 2
	ldd "$bin/scantune" | grep 'not found' && return 1
	tell "commit $commit"
	with_limit "$bin/scantune" devices
}

section_tune() {
	rm -f "$database"*
	begin=$(date +%s)
	with_limit "$bin/scantune" --device 0 --quick --reproducible --db "$database"
	status=$?
	tell "scantune --quick: status $status in $(($(date +%s) - begin)) s, $(wc -c <"$database") bytes"
	"$bin/scantune" list --db "$database" | tee "$work/list"
	while read -r line; do tell "$line"; done <"$work/list"
	if command -v sqlite3 >/dev/null; then sqlite3 "$database" 'SELECT * FROM tuned'; fi
	# For tuner/vendor/h200.txt.
	"$bin/scantune" export --text "$out/vendor.txt" --db "$database"
	[ "$status" = 0 ] && [ -s "$work/list" ]
}

# The database as users have it: named by the environment, and trusted since only its owner writes there.
tuned_environment() {
	if [ -f "$database" ]; then
		mkdir -p -m 700 "$work/db"
		cp "$database" "$work/db/tune.db"
		chmod 600 "$work/db/tune.db"
		export SCANRT_DB="$work/db/tune.db"
	else
		echo "no database: the section tune did not run"
		export SCANRT_DB=off
	fi
}

# What the issue and users want to know of a full tune: how long, how much it won, and how long a recheck takes.
section_normal() {
	normal=$out/normal.db
	rm -f "$normal"*
	begin=$(date +%s)
	# shellcheck disable=SC2086
	with_longer_limit "$bin/scantune" --device 0 --db "$normal" $tune_options
	status=$?
	tell "scantune (normal): status $status in $(($(date +%s) - begin)) s, $(wc -c <"$normal") bytes"
	"$bin/scantune" list --gains --db "$normal" >"$work/gains"
	while IFS= read -r line; do tell "$line"; done <"$work/gains"
	"$bin/scantune" list --db "$normal" >"$out/normal.list"
	"$bin/scantune" export --text "$out/vendor.txt" --db "$normal"
	cp "$normal" "$work/recheck.db"
	begin=$(date +%s)
	with_limit "$bin/scantune" recheck --device 0 --db "$work/recheck.db" --json >"$out/recheck.jsonl"
	recheck=$?
	choices=$(grep -c '"event":"choice"' "$out/recheck.jsonl")
	tell "recheck: status $recheck in $(($(date +%s) - begin)) s, $choices choices"
	[ "$status" = 0 ] && [ "$recheck" = 0 ]
}

# As on another day: another seed, other inputs, another order.  A twice.db that is there is that day's.
section_twice() {
	normal=$out/normal.db
	[ -s "$normal" ] || { echo "the section normal did not run"; return 1; }
	if [ ! -s "$out/twice.db" ]; then
		# shellcheck disable=SC2086
		with_longer_limit "$bin/scantune" --device 0 --db "$out/twice.db" --seed 2 $tune_options || return 1
	fi
	with_limit "$bin/scantune" diff "$normal" "$out/twice.db" --device 0 >"$work/diff"
	status=$?
	while IFS= read -r line; do tell "$line"; done <"$work/diff"
	return $status
}

section_first() (
	tuned_environment
	status=0
	for count in 1000 1048576; do
		for round in 1 2 3 4 5; do
			SCANRT_LIBNVRTC=/nonexistent "$bin/first_scan" "$count" >>"$out/first.jsonl" || status=1
		done
		SCANRT_DB=off "$bin/first_scan" "$count" >>"$out/first.jsonl" || status=1
	done
	# An operator of the caller's: compiled each time; then kept, and found.
	mkdir -p -m 700 "$work/kept"
	for round in 1 2 3; do
		SCANRT_DB=off "$bin/first_scan" 1048576 user >>"$out/first.jsonl" || status=1
	done
	for round in 1 2 3; do
		SCANRT_DB=$work/kept/kept.db SCANRT_WRITE_CACHE=1 "$bin/first_scan" 1048576 user >>"$out/first.jsonl" ||
			status=1
	done
	while read -r line; do tell "$line"; done <"$out/first.jsonl"
	# Each driver call and system call of one more process, with its microseconds.
	for count in 1000 1048576; do
		SCANRT_LIBNVRTC=/nonexistent SCANRT_LIBCUDA=$here/lib/driver_calls.so \
			LD_PRELOAD=$here/lib/driver_calls.so \
			"$bin/first_scan" "$count" 2>&1 | tee "$out/driver_calls.$count.txt"
	done
	return $status
)

section_lines() (
	tuned_environment
	export SCANRT_LIBNVRTC=/nonexistent
	seq 1 16000000 >"$work/text"
	tell "line_index on $(wc -c <"$work/text") bytes, SCANRT_LIBNVRTC=$SCANRT_LIBNVRTC"
	with_limit "$bin/line_index" "$work/text" >"$work/lines"
	status=$?
	while read -r line; do tell "$line"; done <"$work/lines"
	rm -f "$work/text"
	[ "$status" = 0 ] && grep -q 'origin tuned' "$work/lines"
)

# The table that textbooks print, at 64 Mi i32, and the rates over the count; drawn where there is a gnuplot.
section_compare() (
	tuned_environment
	export SCANTUNE_COMMIT="$commit"
	with_limit "$bin/scantune" compare --json >"$out/compare.jsonl" || return 1
	"$bin/scantune" compare --markdown "$out/compare.jsonl" >"$out/compare.md"
	while IFS= read -r line; do tell "$line"; done <"$out/compare.md"
	with_limit "$bin/scantune" compare --sweep --json >>"$out/compare.jsonl" || return 1
	if command -v gnuplot >/dev/null; then
		"$bin/scantune" plot "$out/compare.jsonl" -o "$out/compare.svg"
	fi
)

# The exit status is that of the table: 1 where a target is missed.
run_table() (
	tuned_environment
	with_limit "$bin/table" --commit "$commit" --json "$out/table.jsonl" "$@" >"$work/table"
	status=$?
	while IFS= read -r line; do tell "$line"; done <"$work/table"
	return $status
)
# It ends by itself, with what was met and missed, before the limit ends it: rows may take a quarter more than their
# time.
section_table() { run_table --time "$((limit * 3 / 4))s"; }
section_quicktable() { run_table --quick; }
section_user() { run_table --only user --time 30s; }

# prove where there is a perl; else the programs one by one, judged by their exit status and lines.
run_tests() {
	if command -v prove >/dev/null; then
		with_limit prove -j "$1" --failures --comments --exec '' "$2"/*
		return
	fi
	status=0
	for program in "$2"/*; do
		echo "# $program"
		with_limit "$program" >"$work/tap" 2>&1 || status=1
		cat "$work/tap"
		! grep -q '^not ok' "$work/tap" || status=1
	done
	return $status
}

# The programs that compile most come first, each as several processes, since the time is their compilers'.
section_gpu() (
	export SCANRT_REQUIRE_GPU=1 SCANRT_TEST_TIMEOUT=$limit
	mkdir -p "$work/gpu"
	for program in "$here"/tests/gpu/*; do
		test=${program##*/}
		case $test in
		defaults | plans | user_types) ;;
		*)
			ln -s "$program" "$work/gpu/$test"
			continue
			;;
		esac
		for part in 1 2 3 4 5 6; do
			printf '#!/bin/sh\nSCANRT_TEST_PART=%d/6 exec %s\n' $part "$program" >"$work/gpu/0.$test.$part"
			chmod +x "$work/gpu/0.$test.$part"
		done
	done
	run_tests 16 "$work/gpu" >"$work/tap.log" 2>&1
	status=$?
	cat "$work/tap.log"
	tail -n 3 "$work/tap.log" | while IFS= read -r line; do tell "$line"; done
	grep -E '^not ok|wrong|Bail out' "$work/tap.log" | head -n 40 | while IFS= read -r line; do tell "$line"; done
	return $status
)

# Every program under every tool, at once: the tools are slow on the host, and the counts are small.
section_sanitize() (
	export SCANRT_REQUIRE_GPU=1 SCANRT_TEST_MAX_COUNT=2500 SCANRT_TEST_TIGHT=1 SCANRT_TEST_TIMEOUT=$limit
	status=0
	command -v compute-sanitizer || return 1
	mkdir -p "$work/sanitize"
	for tool in memcheck racecheck synccheck initcheck; do
		for test in grid_block grid_circuits grid_cluster grid_lookback grid_lookback_serial grid_lookahead \
			grid_totals grid_fan \
			grid_reduce grid_reduce_fixed placement epochs initial stress chains; do
			echo "$tool $test"
		done
	done >"$work/jobs"
	xargs -P 12 -L 1 sh -c 'timeout -k 5 "$3" compute-sanitizer --tool "$4" --error-exitcode 99 --print-limit 5 \
		"$1/tests/gpu/$5" >"$2/sanitize/$4.$5" 2>&1; echo "$? $4 $5" >>"$2/sanitize.status"' \
		sh "$here" "$work" "$limit" <"$work/jobs"
	while read -r result tool test; do
		[ "$result" = 0 ] && continue
		status=1
		tell "$tool $test: exit status $result:" \
			"$(grep -E '=========|^not ok|Bail' "$work/sanitize/$tool.$test" |
				grep -vE 'COMPUTE-SANITIZER|ERROR SUMMARY: 0' | head -n 2 | tr '\n' ' ')"
	done <"$work/sanitize.status"
	tell "$(grep -c '^0 ' "$work/sanitize.status") of $(wc -l <"$work/jobs") runs are clean"
	for file in "$work/sanitize"/*; do
		echo "---- $(basename "$file")"
		grep -E '=========|^not ok|Bail|^# ' "$file" | head -n 40
	done
	[ "$(wc -l <"$work/sanitize.status")" = "$(wc -l <"$work/jobs")" ] && return $status
)

# Killed at three random moments, then run to its end: the set of choices must be complete, as after one quiet run.
section_kill() {
	killed=$work/killed.db
	for round in 1 2 3; do
		"$bin/scantune" --device 0 --quick --type i32,f32 --op sum --db "$killed" &
		tuner=$!
		sleep "$(awk -v seed="$$$round" 'BEGIN { srand(seed); print 2 + 12 * rand() }')"
		kill -KILL $tuner
		wait $tuner
		echo "round $round: killed, $("$bin/scantune" list --db "$killed" | wc -l) lines so far"
	done
	with_limit "$bin/scantune" --device 0 --quick --type i32,f32 --op sum --db "$killed" || return 1
	"$bin/scantune" list --db "$killed" >"$work/killed.list"
	with_limit "$bin/scantune" --device 0 --quick --type i32,f32 --op sum --db "$work/quiet.db" || return 1
	"$bin/scantune" list --db "$work/quiet.db" >"$work/quiet.list"
	tell "choices after three kills: $(wc -l <"$work/killed.list") lines;" \
		"after a quiet run: $(wc -l <"$work/quiet.list")"
	[ "$(wc -l <"$work/killed.list")" = "$(wc -l <"$work/quiet.list")" ]
}

section_long() (
	export SCANRT_LONG=1 SCANRT_REQUIRE_GPU=1
	run_tests 2 "$here/tests/long" >"$work/tap.log" 2>&1
	status=$?
	cat "$work/tap.log"
	tail -n 6 "$work/tap.log" | while IFS= read -r line; do tell "$line"; done
	return $status
)

[ $# -gt 0 ] || set -- info tune first lines compare table gpu sanitize
: >"$out/summary.txt"
: >"$out/log.txt"
for wanted in "$@"; do
	section "$wanted"
done
say "$failed sections failed"
exit "$failed"
