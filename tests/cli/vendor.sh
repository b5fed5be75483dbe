#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Choices as a text that people can review, and the vendor's database that a build makes of such texts.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/quick.sh"
text=$tap_dir/machine.txt
made=$tap_dir/defaults.db
of() {
	"$SQLITE3" "$1" "SELECT group_concat(p.name || c.class || c.low_count || ' ' || c.high_count || ' ' || c.count
		|| v.text || c.border || c.tuned_at || printf('%.2f', c.us)) FROM choice c
		JOIN problem p ON p.id = c.problem JOIN variant v ON v.id = c.variant"
}

ok "a run to give away completes" "$scantune" --device emu --quick --type i32,f32 --op sum --count 1024,16384,65536 \
	--db "$db"
ok "export --text writes a text" "$scantune" export --text "$text" --db "$db"
is "$(grep -c '^	variant ' "$text")" 6 "with each choice"
like "$(cat "$text")" "kernels $(query 'SELECT source_hash FROM run')" "the kernels that were measured"
like "$(cat "$text")" "compiler nvrtc" "the compiler"
like "$(cat "$text")" "modelled" "and that the device is a model"
is_empty "$(awk 'length > 130' "$text")" "in lines that people can read"
ok "vendor makes a database of it" "$scantune" vendor -o "$made" "$text"
is "$(of "$made")" "$(of "$db")" "whose choices are the same"
is "$("$SQLITE3" "$made" 'PRAGMA integrity_check')" ok "it is whole"
is "$("$SQLITE3" "$made" 'SELECT count(*) FROM image')" 0 "and has no machine code"

# Two variants that are as fast as each other, with a border that no measurement would find.
awk '$1 == "few" { $3 = 40960; $NF = "measured"; variant = "lookback,block=160,items=8" }
	$1 == "small" { $2 = 40961; variant = "lookback,block=224,items=8" }
	$1 == "variant" && variant { $0 = "\tvariant " variant; variant = "" } 1' "$text" >"$tap_dir/moved.txt"
ok "a text with other choices and borders is taken" "$scantune" vendor -o "$tap_dir/moved.db" "$tap_dir/moved.txt"
borders() {
	"$SQLITE3" "$tap_dir/moved.db" "SELECT group_concat(v.text || ' to ' || c.high_count || c.border) FROM choice c
		JOIN variant v ON v.id = c.variant WHERE c.class = 'few'"
}
few="lookback,block=160,items=8 to 40960measured"
is "$(borders)" "$few,$few" "its borders are what the text has"
ok "a recheck of its choices completes" env SCANTUNE_TEST_VALLEY=192:8 "$scantune" recheck --device emu \
	--db "$tap_dir/moved.db"
is "$(borders)" "$few,$few" "two choices that stay keep the border between them"
is "$("$SQLITE3" "$tap_dir/moved.db" "SELECT DISTINCT low_count FROM choice WHERE class = 'small'")" 40961 \
	"at which the second one begins"
sleep 1.1
ok "made again" "$scantune" vendor -o "$tap_dir/again.db" "$text" --quiet
is_empty "$(cat "$tap_dir/.output")" "without a word, if that is wanted"
ok "it is the same, byte for byte" cmp "$made" "$tap_dir/again.db"
is_empty "$(find "$tap_dir" -name '*.made-*' -o -name '*.new-*')" "nothing else is left"
is "$("$scantune" bench --device emu --db "$made" --type i32,f32 --op sum --count 1024,16384 | grep -c ' tuned ')" 4 \
	"scans use it as what was tuned"
like "$("$scantune" why i32 sum 1024 --db "$made")" "decided: vendor: " "why tells whose it is"
is "$("$SQLITE3" "$made" 'SELECT count(*) FROM stale')" 0 "nothing in it is overtaken"
is "$("$SQLITE3" "$made" "SELECT count(*) FROM why WHERE verdict = 'chosen'")" 6 "the view why has the winners"

# The kernels' text has changed since it was measured: the choices are those of this build, and say so.
sed 's/^kernels .*/kernels 0123456789abcdef0123456789abcdef/' "$text" >"$tap_dir/older.txt"
ok "a text of other kernels is taken" "$scantune" vendor -o "$made" "$tap_dir/older.txt"
is "$("$scantune" bench --device emu --db "$made" --type i32 --op sum --count 1024,16384 | grep -c ' tuned ')" 2 \
	"for the kernels of today"
like "$("$scantune" why i32 sum 1024 --db "$made")" "vendor, with kernels 0123456789abcdef: " \
	"why tells which kernels were measured"
like "$(SCANRT_LOG=stderr "$scantune" bench --device emu --db "$made" --type i32 --op sum --count 1024 2>&1)" \
	"vendor, with kernels 0123456789abcdef: " "and so does a plan"
is "$("$SQLITE3" "$made" "SELECT count(*) FROM stale WHERE reason LIKE '%measured with other kernels: still used'")" 6 \
	"the view stale has them as such"
is "$("$SQLITE3" "$made" 'SELECT source_hash FROM run')" 0123456789abcdef0123456789abcdef "the run has it as a fact"
like "$("$SQLITE3" "$made" 'SELECT remarks FROM runs')" "a vendor's, measured with kernels 0123456789abcdef" \
	"which the view runs shows"
is "$("$SQLITE3" "$made" 'SELECT count(DISTINCT source_hash) FROM choice')" 1 "all choices are of one text of kernels"
ok "what was made can be given away as a text again" "$scantune" export --text "$tap_dir/second.txt" --db "$made"
is "$(grep '^kernels' "$tap_dir/second.txt")" "kernels 0123456789abcdef0123456789abcdef" \
	"and still tells which kernels were measured"

# A cross build takes somebody's scantune, which may be of other sources.
ok "a database is made for the sources of this scantune" "$scantune" vendor -o "$made" --sources "$top_srcdir/kernels" \
	"$text"
mkdir "$tap_dir/kernels"
cp "$top_srcdir"/kernels/*.cu* "$top_srcdir"/kernels/*.h "$tap_dir/kernels/"
ok "wherever they lie" "$scantune" vendor -o "$made" --sources "$tap_dir/kernels" "$text"
echo "// changed" >>"$tap_dir/kernels/policy.cuh"
fails "for others none is made" 1 "$scantune" vendor -o "$tap_dir/none.db" --sources "$tap_dir/kernels" "$text"
like "$(cat "$tap_dir/.output")" "policy.cuh: is another text" "and the message names what differs"
rm "$tap_dir/kernels/policy.cuh"
fails "nor for some that lack a file" 1 "$scantune" vendor -o "$tap_dir/none.db" --sources "$tap_dir/kernels" "$text"

# A variant with many knobs is longer than most.
long=totals,block=192,items=20,warp=shared,load=plain,store=plain,gather=2
sed "$(grep -n '^	variant ' "$text" | sed -n '2s/:.*//p')s/variant .*/variant $long/" "$text" >"$tap_dir/long.txt"
ok "a variant with many knobs is taken" "$scantune" vendor -o "$made" "$tap_dir/long.txt"
is "$("$scantune" list --db "$made" | awk 'NR > 1 { print length }' | sort -u | wc -l)" 1 \
	"and the columns of list make room for it"

# Two machines in two texts, or in one.
sed 's/ sm4 / sm8 /; s/^facts 90 4 /facts 90 8 /; s/emulated tiny/emulated twice/' "$text" >"$tap_dir/twice.txt"
ok "two texts make one database" "$scantune" vendor -o "$made" "$text" "$tap_dir/twice.txt"
is "$("$SQLITE3" "$made" 'SELECT count(*) || count(DISTINCT device) FROM choice')" 122 "of two devices"
cat "$text" "$tap_dir/twice.txt" >"$tap_dir/both.txt"
ok "one text may be of two devices" "$scantune" vendor -o "$tap_dir/again.db" "$tap_dir/both.txt"
is "$(of "$tap_dir/again.db")" "$(of "$made")" "and makes the same"

# What is no such text.
refuses() { # sed script, part of the message, sentence
	sed "$1" "$text" >"$tap_dir/bad.txt"
	fails "$3" 1 "$scantune" vendor -o "$tap_dir/none.db" "$tap_dir/bad.txt"
	like "$(cat "$tap_dir/.output")" "$2" "and the message tells where"
}
line=$(grep -n '^	variant ' "$text" | sed -n '1s/:.*//p')
refuses "${line}s/variant .*/variant sideways,items=4/" "bad.txt:$((line + 1)): " "a variant that is none is refused"
refuses "${line}d" "bad.txt:$line: follows a variant: reason" "a choice without a variant is refused"
refuses "$((line + 1))d" "a choice is not complete before: few" "a choice without a reason is refused"
refuses "s/^tile .*/tile 1 2 3/" "bad.txt:$((line - 1)): wants a range" "a line with too few numbers is refused"
refuses "s/^few  *[0-9]*/few 5/" "the range meets that of another class" "ranges that overlap are refused"
refuses "s/^few  *[0-9]* /few 100000000 /" "wants a range" "a range whose end is before its begin is refused"
refuses "s/^\\(few  *[0-9]*  *[0-9]*\\)  *[0-9]*/\\1 5/" "lacks its own count" \
	"so is one without the count that was measured"
# A problem may have several blocks.
block=$(sed -n '/^problem sum i32/,/^few/p' "$text" | sed '$d')
{ cat "$text"; printf '%s\n' "$block"; } >"$tap_dir/blocks.txt"
fails "a class that comes back in another block of its problem is refused" 1 "$scantune" vendor -o "$tap_dir/none.db" \
	"$tap_dir/blocks.txt"
like "$(cat "$tap_dir/.output")" "has this class already" "and the message says so"
{ cat "$text"; printf '%s\n' "$block" | sed 's/^tile /large /'; } >"$tap_dir/blocks.txt"
fails "so is a range that meets one of another block" 1 "$scantune" vendor -o "$tap_dir/none.db" "$tap_dir/blocks.txt"
like "$(cat "$tap_dir/.output")" "the range meets that of another class" "and the message says so, too"
fails "and the same text twice" 1 "$scantune" vendor -o "$tap_dir/none.db" "$text" "$text"
refuses "s/^problem sum i32/problem sum nothing/" "not an operator and a type" "a problem that is none is refused"
refuses "s/^kernels .*/kernels 12/" "no such value: 12" "a hash that is none is refused"
refuses "/^compiler/d" "the device wants" "a device that lacks a fact is refused"
refuses "s/^driver/diver/" "no such statement: diver" "a statement that is none is refused"
refuses "s/^driver.*/&\n&/" "stands there twice: driver" "a statement that stands there twice is refused"
refuses "s/^tuned .*/tuned yesterday/" "a time like" "a day that is none is refused"
refuses '/^$/,$d' "ends without a choice" "a text without choices is refused"
is_empty "$(find "$tap_dir" -name 'none.db*')" "and nothing is made of any"
fails "a text that is not there is refused" 1 "$scantune" vendor -o "$tap_dir/none.db" "$tap_dir/none.txt"
fails "so is a database in the place of one" 1 "$scantune" vendor -o "$tap_dir/none.db" "$db"
fails "vendor wants to know where to" 1 "$scantune" vendor "$text"
fails "and texts" 1 "$scantune" vendor -o "$made"
fails "a folder that is not there is an error of the database" 4 "$scantune" vendor -o /dev/null/x.db "$text"
fails "so is one for a text" 4 "$scantune" export --text /dev/null/x.txt --db "$db"
fails "a text has no images" 1 "$scantune" export --text "$text" --with-images --db "$db"

# Names that are somebody's own.
cp "$db" "$tap_dir/names.db"
"$SQLITE3" "$tap_dir/names.db" "UPDATE device SET name = 'two' || char(10) || 'lines' || char(13); UPDATE choice SET
	reason = char(10) || 'tuned never' WHERE id = 1"
ok "a name with the end of a line in it is written" "$scantune" export --text "$tap_dir/names.txt" \
	--db "$tap_dir/names.db"
is "$(grep '^device' "$tap_dir/names.txt")" "device two lines " "in one line"
ok "and read" "$scantune" vendor -o "$made" "$tap_dir/names.txt"
is "$(grep -c '^	variant ' "$tap_dir/names.txt")" 6 "with all choices"

# Those that are shipped.
for file in "$top_srcdir"/tuner/vendor/*.txt; do
	name=$(basename "$file")
	ok "$name makes a database" "$scantune" vendor -o "$tap_dir/shipped.db" "$file"
	is "$("$SQLITE3" "$tap_dir/shipped.db" 'SELECT count(*) FROM choice')" "$(grep -c '^	variant ' "$file")" \
		"of all its choices"
	is "$("$SQLITE3" "$tap_dir/shipped.db" 'SELECT sum(is_modelled) FROM device')" 0 "measured on a real device"
	is "$("$SQLITE3" "$tap_dir/shipped.db" "SELECT count(*) FROM choice WHERE default_us < us * 0.99")" 0 \
		"none of which its default beats"
done
done_testing
