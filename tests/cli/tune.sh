#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A tuning run from the outside: what it prints, what it leaves in the database, what a second run makes of it.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/quick.sh"

ok "devices names the device" "$scantune" devices
like "$(cat "$tap_dir/.output")" "emulated" "as what it is"
like "$("$scantune" devices --json)" '"is_modelled":true' "and so in JSON"

ok "a dry run succeeds" tune --dry-run
ok "and leaves no database" test ! -e "$db"
like "$(tune --dry-run --json)" '"event":"plan"' "and has its plan in JSON too"

like "$(tune --dry-run)" "is not there yet" "and says that there is no database yet"
printf x >"$tap_dir/short.db"
like "$("$scantune" --device emu --dry-run --type i32 --op sum --db "$tap_dir/short.db")" "short.db" \
	"a file that is no database is named"
like "$(SCANTUNE_PACE='' "$scantune" --device emu --dry-run --quick --type i32 --op sum)" " 100000 " \
	"an emulated device's counts are its own, not those of a GPU"

ok "a run completes" tune
like "$(tune --dry-run)" "chosen so far: " "and a dry run then tells what is chosen"
cp "$tap_dir/.output" "$tap_dir/first"
like "$(cat "$tap_dir/first")" "complete after" "and says so"
like "$(cat "$tap_dir/first")" "gain" "with a table of the gains"
is "$(query 'SELECT status FROM run')" complete "the run is complete in the database"
is "$(query 'SELECT count(*) FROM choice')" 2 "both classes have a choice"
is "$(query "SELECT group_concat(class, ' ') FROM (SELECT class FROM choice ORDER BY low_count)")" "tile few" \
	"they are the classes of the counts"
is "$(query 'SELECT count(*) FROM choice a, choice b WHERE a.class = "tile" AND b.class = "few"
	AND b.low_count = a.high_count + 1')" 1 "the ranges of counts meet"
is "$(query 'SELECT count(DISTINCT k.problem) FROM kernel k JOIN image i ON i.hash = k.image, choice c
	JOIN variant v ON v.id = c.variant WHERE k.variant = v.text')" 2 \
	"the winners have machine code for both modes"
is "$(query "SELECT count(*) FROM trial WHERE status = 'running'")" 0 "no trial is left running"
is "$(query "SELECT count(*) FROM trial t JOIN variant v ON v.id = t.variant WHERE t.class = 'tile' AND t.us > 0
	AND v.text LIKE 'block,block=64,items=4'")" 0 "a block variant whose tile is too small is not timed"
is "$(query 'SELECT is_modelled FROM device')" 1 "the device is marked as modelled"
is "$(query 'SELECT count(*) FROM roofline')" 2 "the copy was measured at both counts"
like "$("$scantune" list --db "$db")" "(modelled)" "list marks it too"
like "$("$scantune" list --db "$db")" "sum i32" "list has the problem"
is "$("$scantune" list --db "$db" --json | wc -l)" 2 "list has a JSON line a choice"
is "$("$scantune" list --db "$db" --gains | awk '$1 == "sum" { print NF }')" 11 \
	"list --gains has a row a problem, a class a column"
is "$("$scantune" list --db "$db" --gains |
	awk '$1 == "sum" { printf "%s", ($3 ~ /x$/) ($4 ~ /x$/) ($5 == "-") }')" 111 \
	"with how many times as long the default takes, where there is a choice"
like "$("$scantune" show i32 sum --db "$db")" "reason" "show tells the reason"
like "$("$scantune" show i32 sum --db "$db" --json)" '"reason":' "in JSON too"
like "$("$scantune" show i32 max --db "$db")" "nothing is tuned for max i32" "show says what is not there"

is "$("$SQLITE3" "$db" 'SELECT group_concat(c.class || v.text) FROM choice c JOIN variant v ON v.id = c.variant')" \
	"$(rm -f "$db" && tune >/dev/null && query 'SELECT group_concat(c.class || v.text) FROM choice c
	JOIN variant v ON v.id = c.variant')" "the same run from nothing makes the same choices"
ok "a run after a complete one tunes anew" tune
is "$(query 'SELECT count(*) FROM run')" 2 "as a run of its own"
like "$(cat "$tap_dir/.output")" "60 variants" "with all variants"

ok "a run in JSON succeeds" tune --json
is "$(grep -cv '^{.*}$' "$tap_dir/.output")" 0 "and prints nothing but JSON lines"
is "$(grep -c '"event":"choice"' "$tap_dir/.output")" 2 "with a line a choice"
is "$(tail -1 "$tap_dir/.output" | cut -c1-34)" '{"event":"end","status":"complete"' "and the end"
is "$(grep -c '"event":"problem".*"variants":.*"race":.*"compilers":' "$tap_dir/.output")" 1 \
	"with what the problem's phases took"
ok "a quiet run succeeds" tune --quiet
is_empty "$(cat "$tap_dir/.output")" "and says nothing"
ok "a verbose run succeeds" tune --verbose
like "$(cat "$tap_dir/.output")" "lookback,block=512,items=24: ok: tile" "and tells every variant"
like "$(cat "$tap_dir/.output")" "waiting for compilers" "and what each phase took"

ok "a run for exclusive scans alone succeeds" tune --mode exclusive
ok "a run of several problems succeeds" "$scantune" --device emu --quick --db "$db" --type i8,f16,f64 --op sum,max \
	--count 1000,20000
is "$(query 'SELECT count(DISTINCT problem) FROM choice')" 7 "and chooses for each"
ok "operators for bits succeed" "$scantune" --device emu --quick --db "$db" --type u8,u64 --op and,or,xor --count 5000
ok "products and minima succeed" "$scantune" --device emu --quick --db "$db" --type i16,f32,bf16 \
	--op prod,min --count 5000


# As a shell does in which somebody has begun a transaction, or a list that waits in a pager.
{
	echo "BEGIN; SELECT count(*) FROM run;"
	sleep 7
} | "$SQLITE3" "$db" >/dev/null &
reader=$!
ok "a reader that stays for longer than usual is waited for" tune
wait "$reader"
rm -f "$db"
ok "on a machine with three boards" env SCANRT_EMU_DEVICES=3 "$scantune" --device emu:1 --quick --type i32 --op sum \
	--count 1024 --db "$db"
is "$(query 'SELECT count(*) || count(DISTINCT device) FROM board')" 31 "all three are known, as one device"
is "$(query 'SELECT count(*) FROM board b JOIN device d ON d.uuid = b.uuid WHERE b.id = 1')" 1 \
	"beginning with the one that was tuned"
rm -f "$db"
fails "a run that time ends before it has tried anything exits with 2" 2 tune --time 0.001s
like "$(cat "$tap_dir/.output")" "time is up, before the first kernel was tried" "and says so"
fails "a run that time ends exits with 2" 2 tune --thorough --time 0.6s
ok "the next run goes on and completes" tune --quick

# What an interrupted run found out is not found out again, unless --restart asks for it.
rm -f "$db"
variants() {
	query "SELECT group_concat(text) FROM (SELECT DISTINCT v.text FROM trial t JOIN variant v ON v.id = t.variant
		WHERE t.run = (SELECT max(id) FROM run) ORDER BY 1)"
}
interrupt() {
	query "UPDATE run SET status = 'interrupted';
		UPDATE trial SET status = 'compile', us = NULL, note = 'then'
		WHERE variant = (SELECT id FROM variant WHERE text = 'block,block=1024')"
}
status_of_it() {
	query "SELECT group_concat(DISTINCT t.status) FROM trial t JOIN variant v ON v.id = t.variant
		WHERE v.text = 'block,block=1024' AND t.run = (SELECT max(id) FROM run)"
}
ok "a run of one seed" tune --seed 7
drawn=$(variants)
is "$(status_of_it)" ok "tries a variant"
interrupt
ok "the next one goes on from it" tune --seed 7
is "$(status_of_it)" "" "and does not try again what failed"
interrupt
ok "with --restart" tune --seed 7 --restart
is "$(status_of_it)" ok "it is tried anew"
rm -f "$db"
ok "a run of the same seed, from nothing" tune --seed 7
is "$(variants)" "$drawn" "has the same variants"
chmod 400 "$db"
if [ "$(id -u)" -eq 0 ]; then
	skip 1 "the superuser writes to any file"
else
	fails "a database that cannot be written exits with 4" 4 tune
fi
chmod 600 "$db"
fails "a folder in place of a database exits with 4" 4 "$scantune" --device emu --quick --type i32 --db "$tap_dir"
mkdir -p "$HOME/.cache/scanrt"
head -c 20000 "$db" >"$HOME/.cache/scanrt/tune.db"
ok "a damaged database of the user's is put aside" "$scantune" --device emu --quick --type i32 --op sum --count 1024
ok "under a name that says so" ls "$HOME"/.cache/scanrt/*corrupt*

ok "bench times the library" "$scantune" bench --device emu --db "$db" --type i32 --count 1024,16384
is "$(grep -c ' tuned ' "$tap_dir/.output")" 2 "with what was tuned"
ok "bench with a variant succeeds" "$scantune" bench --device emu --db "$db" --type f32 --op max --count 3000 \
	--mode exclusive --variant lookback,block=128 --json
like "$(cat "$tap_dir/.output")" '"origin":"forced"' "and says that it was forced"
like "$(cat "$tap_dir/.output")" '"peer":null' "with the keys of the results"
fails "bench with a variant that does not parse exits with 1" 1 "$scantune" bench --device emu \
	--variant nonsense --count 9
done_testing
