#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What is done with a tuned database: why, verify, recheck, export, import, prune, doctor.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/quick.sh"
SCANRT_DB=$db
export SCANRT_DB
json_only() {
	grep -cv '^{.*}$' "$tap_dir/.output"
}

like "$("$scantune" verify --device emu)" "there is no choice for this device" "verify before anything is tuned says so"
ok "a run to look into completes" "$scantune" --device emu --quick --type i32,f32 --op sum --count 1024,16384
before=$(query 'SELECT group_concat(c.class || v.text) FROM choice c JOIN variant v ON v.id = c.variant')

ok "why succeeds" "$scantune" why f32 sum 1e4
like "$(cat "$tap_dir/.output")" "decided: " "and tells the rule that decided"
like "$(cat "$tap_dir/.output")" ", measured at 16384" "for the class of the count"
is "$(grep -c '^\*' "$tap_dir/.output")" 1 "one is the chosen one"
is "$(awk '/ final$/ { n++ } END { print (n >= 5) }' "$tap_dir/.output")" 1 "beside the other finalists"
like "$("$scantune" why sum f32 1000)" "class tile" "the operator may come first, and a small count has its class"
like "$("$scantune" why f32 sum 2^40)" ", measured at 16384" "a count beyond all classes is the last one's"
ok "why in JSON succeeds" "$scantune" why f32 sum 1e4 --json
is "$(json_only)" 0 "and prints nothing but JSON lines"
is "$(grep -c '"is_chosen":true' "$tap_dir/.output")" 1 "with one that is chosen"
like "$("$scantune" why f64 sum 1000)" "nothing is tuned for sum f64" "why says what is not there"
fails "why without a count is a usage error" 1 "$scantune" why f32 sum
fails "why with a count that is none is a usage error" 1 "$scantune" why f32 sum many

ok "verify succeeds" "$scantune" verify --device emu
is "$(grep -c ' right$' "$tap_dir/.output")" 4 "and finds all choices right"
is "$(query 'SELECT count(*) FROM run')" 1 "without a run of its own"
ok "verify in JSON succeeds" "$scantune" verify --device emu --json --type f32
is "$(json_only)" 0 "and prints nothing but JSON lines"
is "$(grep -c '"is_right":true' "$tap_dir/.output")" 2 "for the problems that were asked for"
ok "recheck succeeds" "$scantune" recheck --device emu
is "$(query 'SELECT kind FROM runs LIMIT 1')" recheck "and is a run of that kind"
is "$(query 'SELECT group_concat(c.class || v.text) FROM choice c JOIN variant v ON v.id = c.variant')" "$before" \
	"the choices stay, where nothing has changed"
like "$("$scantune" why f32 sum 1e4)" "final" "with the finalists of the search that they came from"
is "$(query "SELECT count(*) FROM choice WHERE reason LIKE 'the previous choice%'")" 0 "and the reason that they had"
is "$(query 'SELECT count(*) FROM choice WHERE count IN (1024, 16384)')" 4 "at the counts that they were tuned for"
ok "verify and recheck need no compiler" env SCANRT_LIBNVRTC=/nonexistent "$scantune" recheck --device emu

ok "another compiler tunes another problem" env SCANTUNE_TEST_NVRTC_MINOR=3 "$scantune" --device emu --quick --type u8 \
	--op max --count 1024
is "$(query "SELECT count(*) FROM stale WHERE reason LIKE 'compiled by nvrtc 13.0%now nvrtc 13.3%: still used'")" 4 \
	"the choices made with the older one are shown as such"
is "$("$scantune" bench --device emu --type i32,f32 --op sum --count 1024,16384 | grep -c ' tuned ')" 4 \
	"and are still used"
query "DELETE FROM choice WHERE problem = (SELECT id FROM problem WHERE name = 'max u8')"

ok "a database does not differ from itself" "$scantune" diff "$db" "$db" --device emu
is "$(grep -c ': same$' "$tap_dir/.output")" 4 "class by class"
fast=$(query "SELECT group_concat('wrong:' || v.text, ';') FROM choice c JOIN variant v ON v.id = c.variant
	JOIN problem p ON p.id = c.problem WHERE p.name = 'sum i32'")
ok "another day's database has other winners" env SCANTUNE_TEST_REVERSED=1 "$scantune" --device emu --quick \
	--type i32 --op sum --count 1024,16384 --db "$tap_dir/day.db"
fails "which diff finds slower" 2 "$scantune" diff "$db" "$tap_dir/day.db" --device emu
is "$(grep -c ', ratio 1\.[0-9]*.*: first$' "$tap_dir/.output")" 2 "in each class that both have"
like "$(cat "$tap_dir/.output")" "of 2 classes that both have, 0 with the same winner" "and sums up"
fails "in JSON too" 2 "$scantune" diff "$tap_dir/day.db" "$db" --device emu --json
is "$(json_only)" 0 "as nothing but JSON lines"
is "$(grep -c '"verdict":"second".*"ratio":0' "$tap_dir/.output")" 2 "where it is the second that is faster"
fails "a winner that has become wrong is no winner" 2 env SCANTUNE_FAULT="$fast" "$scantune" diff "$db" \
	"$tap_dir/day.db" --device emu
is "$(grep -c ': failed$' "$tap_dir/.output")" 2 "and is not timed"
is "$("$SQLITE3" "$tap_dir/day.db" 'SELECT count(*) FROM run')" 1 "nothing is written by any of this"
SCANTUNE_FAULT=$(echo "$fast" | sed 's/wrong:/hang:/g') "$scantune" diff "$db" "$tap_dir/day.db" --device emu \
	>"$tap_dir/hangs" 2>&1 &
hanging=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	grep -q '^.1/' "$tap_dir/hangs" && break
	sleep 0.2
done
sleep 0.2
ok "while it measures, both files may be written to" "$SQLITE3" "$db" "ATTACH '$tap_dir/day.db' AS day; BEGIN IMMEDIATE;
	UPDATE main.run SET note = 'x'; UPDATE day.run SET note = 'x'; COMMIT"
ok "and it is still at it" kill -INT "$hanging"
wait "$hanging"
fails "diff of a file that is none exits with 4" 4 "$scantune" diff "$db" "$tap_dir/none.db" --device emu

victim=$(query "SELECT v.text FROM choice c JOIN variant v ON v.id = c.variant JOIN problem p ON p.id = c.problem
	WHERE p.name = 'sum i32' AND c.count = 16384")
fails "a choice that has become wrong makes verify exit with 2" 2 env SCANTUNE_FAULT="wrong:$victim" "$scantune" \
	verify \
	--device emu --type i32
like "$(cat "$tap_dir/.output")" "taken out of the database" "and is taken out"
is "$(query "SELECT count(*) FROM choice c JOIN problem p ON p.id = c.problem WHERE p.name = 'sum i32'")" 1 \
	"while the others stay"

for sms in 4 7; do
	SCANRT_EMU_SMS=$sms "$scantune" --device emu --quick --type i32 --op sum --count 1024 --db "$tap_dir/two.db" \
		>/dev/null
done
SCANTUNE_FAULT="wrong:$("$SQLITE3" "$tap_dir/two.db" 'SELECT v.text FROM choice c JOIN variant v ON v.id = c.variant
	WHERE c.device = 1')" SCANRT_EMU_SMS=4 "$scantune" verify --device emu --db "$tap_dir/two.db" >/dev/null 2>&1
is "$("$SQLITE3" "$tap_dir/two.db" 'SELECT group_concat(device) FROM choice')" 2 \
	"what is wrong on one device stays another one's choice"

ok "export writes a file" "$scantune" export "$tap_dir/numbers.db"
is "$("$SQLITE3" "$tap_dir/numbers.db" 'SELECT count(*) FROM choice')" 3 "with the choices"
is "$("$SQLITE3" "$tap_dir/numbers.db" 'SELECT count(*) FROM image')" 0 "without machine code"
is "$("$SQLITE3" "$tap_dir/numbers.db" "SELECT count(*) FROM run WHERE arguments <> '' OR pid <> 0")" 0 \
	"and without what is nobody's business"
ok "export --with-images has it" "$scantune" export "$tap_dir/images.db" --with-images
is "$("$SQLITE3" "$tap_dir/images.db" 'SELECT count(*) > 0 FROM image')" 1 "as was asked for"
is "$("$SQLITE3" "$tap_dir/images.db" 'PRAGMA integrity_check')" ok "in a whole file"
fails "export to a folder that is not there exits with 4" 4 "$scantune" export "$tap_dir/none/x.db"
fails "export without a file is a usage error" 1 "$scantune" export

key=$(query 'SELECT k.key FROM kernel k JOIN image i ON i.hash = k.image LIMIT 1')
ok "export --image writes the machine code of a kernel" "$scantune" export "$tap_dir/scan.cubin" --image "$key"
is "$(wc -c <"$tap_dir/scan.cubin" | tr -d ' ')" "$(query "SELECT size FROM image WHERE hash = (SELECT image FROM kernel
	WHERE key = '$key')")" "as much as there was of it"
ok "its first digits will do" "$scantune" export "$tap_dir/again.cubin" --image "$(printf %.12s "$key")"
ok "and give the same" cmp "$tap_dir/scan.cubin" "$tap_dir/again.cubin"
fails "of a key that nothing has, nothing is written" 4 "$scantune" export "$tap_dir/no.cubin" --image 0123456789
ok "not even an empty file" test ! -e "$tap_dir/no.cubin"
fails "an image is no text" 1 "$scantune" export "$tap_dir/no.cubin" --image "$key" --text

# A limit on the size of files is a disk that is full, to whoever writes.
cut_short() {
	(trap '' XFSZ && ulimit -f 1 && exec "$scantune" export "$@")
}
ok "a text of choices is written" "$scantune" export "$tap_dir/cut.txt" --text
ok "and is more than the test's disk has room for" test "$(wc -c <"$tap_dir/cut.txt")" -gt 1024
cp "$tap_dir/cut.txt" "$tap_dir/whole.txt"
fails "where the disk is full, export says so" 4 cut_short "$tap_dir/cut.txt" --text
ok "the text that was there stays whole" cmp "$tap_dir/cut.txt" "$tap_dir/whole.txt"
fails "nor is there half of a database" 4 cut_short "$tap_dir/half.db"
is "$(find "$tap_dir" -name 'half*' -o -name '*.new-*')" "" "and nothing is left beside them"

SCANRT_DB=$tap_dir/other.db
db=$SCANRT_DB
ok "import into an empty database succeeds" "$scantune" import "$tap_dir/numbers.db" --device emu
is "$(query 'SELECT count(*) FROM choice')" 3 "and makes the choices of the file"
is "$(query "SELECT count(*) FROM trial WHERE status = 'ok' AND class = ''" | sed 's/^[1-9][0-9]*$/some/')" some \
	"each verified and timed here"
is "$(query 'SELECT kind FROM run')" import "as a run of that kind"
rm -f "$db"
SCANTUNE_FAULT=$("$SQLITE3" "$tap_dir/numbers.db" "SELECT group_concat('wrong:' || v.text, ';')
	FROM (SELECT DISTINCT variant FROM choice) c JOIN variant v ON v.id = c.variant")
export SCANTUNE_FAULT
rm -f "$db"
"$scantune" import "$tap_dir/numbers.db" --device emu >/dev/null 2>&1
is "$(query "SELECT count(*) FROM choice c JOIN variant v ON v.id = c.variant
	WHERE instr('$SCANTUNE_FAULT', 'wrong:' || v.text || ';')
	OR '$SCANTUNE_FAULT' LIKE '%wrong:' || v.text")" 0 "what is imported and wrong is not chosen"
unset SCANTUNE_FAULT
rm -f "$db"
ok "import takes machine code from a trusted file" env SCANRT_LIBNVRTC= SCANRT_LIBNVRTC="$SCANRT_LIBNVRTC" \
	"$scantune" import \
	"$tap_dir/images.db" --with-images --device emu
chmod 666 "$tap_dir/images.db"
fails "and not from one that others may write to" 4 "$scantune" import "$tap_dir/images.db" --with-images --device emu
like "$(cat "$tap_dir/.output")" "writable by group or others" "and says why"
ok "its numbers are taken all the same" "$scantune" import "$tap_dir/images.db" --device emu
fails "import of a file that is none exits with 4" 4 "$scantune" import "$tap_dir/none.db" --device emu

ok "prune --dry-run succeeds" "$scantune" prune --dry-run --keep 1
runs=$(query 'SELECT count(*) FROM run')
ok "prune succeeds" "$scantune" prune --keep 1 --json
is "$(json_only)" 0 "and prints nothing but JSON lines"
is "$(query 'SELECT count(*) FROM run')" 1 "one run is left of $runs"
is "$(query 'SELECT count(*) FROM choice')" 3 "with all choices"
is "$(query 'PRAGMA integrity_check')" ok "in a whole file"
ok "and verify finds them" "$scantune" verify --device emu
ok "prune takes a size" "$scantune" prune --max-size 1k
like "$(cat "$tap_dir/.output")" "MB now: choices need that much" "and says where choices need more"
ok "they are left" "$scantune" verify --device emu
fails "a size that is none is a usage error" 1 "$scantune" prune --max-size big
fails "prune of a file that cannot be is an error of the database" 4 "$scantune" prune --db /dev/null/x.db

ok "doctor finds nothing wrong" "$scantune" doctor
like "$(cat "$tap_dir/.output")" "all whole" "and has looked at every hash"
ok "doctor in JSON succeeds" "$scantune" doctor --json
is "$(json_only)" 0 "and prints nothing but JSON lines"
chmod 666 "$db"
fails "a database that others may write to is a problem" 2 "$scantune" doctor
like "$(cat "$tap_dir/.output")" "machine code of it is not used" "and doctor says what that means"
chmod 600 "$db"
"$SQLITE3" "$db" "UPDATE choice SET us = us / 2"
fails "rows that were changed by hand are a problem" 2 "$scantune" doctor
like "$(cat "$tap_dir/.output")" "changed since scantune wrote it" "and doctor says so"

# How quiet the device is.
db=$tap_dir/quiet.db
SCANRT_DB=$db
SCANTUNE_LIBNVML=$(cd "$top_builddir" && pwd)/tests/cli/.libs/libquicknvml.so
SCANTUNE_TEST_PROCESSES=1
export SCANTUNE_LIBNVML SCANTUNE_TEST_PROCESSES
ok "a quiet device is tuned under --require-quiet" tune --require-quiet
is "$(query "SELECT MHz || remarks FROM runs LIMIT 1")" 1980 "with its clock in the database"
fails "with another process on it, --require-quiet refuses" 3 env SCANTUNE_TEST_PROCESSES=3 "$scantune" --device emu \
	--quick --type i32 --op sum --require-quiet
like "$(cat "$tap_dir/.output")" "2 other processes" "and says so"
fails "and with a clock that heat holds back" 3 env SCANTUNE_TEST_REASONS=64 "$scantune" --device emu --quick --type \
	i32 \
	--op sum --require-quiet
like "$(cat "$tap_dir/.output")" "held back by: heat" "and says so"
ok "a power cap, which is usual under load, is no reason to refuse" env SCANTUNE_TEST_REASONS=4 "$scantune" --device \
	emu \
	--quick --type i32 --op sum --count 1024 --require-quiet
ok "without the option it is tuned all the same" env SCANTUNE_TEST_PROCESSES=3 SCANTUNE_TEST_REASONS=4 "$scantune" \
	--device emu --quick --type i32 --op sum --count 1024
like "$(query "SELECT remarks FROM runs LIMIT 1")" "2 other processes; the clock is held back by: power cap" \
	"and the run remembers"
ok "samples at a slow clock are dropped" env SCANTUNE_TEST_SLOW=30 "$scantune" --device emu --quick --type i32 --op \
	sum \
	--count 1024
is "$(query "SELECT count(*) FROM trial WHERE run = (SELECT max(id) FROM run) AND status = 'noisy'")" 0 \
	"and some are no reason to give a variant up"
fails "a library that is none leaves --require-quiet without an answer" 3 env SCANTUNE_LIBNVML=/nonexistent \
	"$scantune" \
	--device emu --quick --type i32 --op sum --require-quiet
done_testing
