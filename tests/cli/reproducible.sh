#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tuning among the variants of SCANRT_REPRODUCIBLE's order of combination: a problem beside the one that has any order.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/quick.sh"
SCANRT_DB=$db
export SCANRT_DB
run() {
	"$scantune" --device emu --quick --type f32,i32,f16 --op sum --count 1000,20000 "$@"
}
bench() {
	"$scantune" bench --device emu --type "$1" --op sum --count 20000 --json "$2" |
		sed -n 's/.*"variant":"\([^"]*\)","origin":"\([a-z]*\)".*/\1 \2/p'
}
count() {
	query "SELECT count(*) FROM choice c JOIN problem p ON p.id = c.problem WHERE p.name LIKE '$1'"
}

like "$(run --reproducible --dry-run)" "sum f32 reproducible tile" "a dry run has them"
is "$(run --dry-run | grep -c reproducible)" 0 "which are not in a quick run, unless asked for"
is "$("$scantune" --device emu --type f32,i32 --op sum,max --dry-run | grep -c reproducible)" 7 \
	"and in others: of what rounds, in every class"
ok "a run completes" run --reproducible
is "$(count '% reproducible')$(count 'sum f32')" 42 "sums of floats have two kinds of choices in both classes"
is "$(count 'sum i32 reproducible')" 0 "those of integers have one, which rounds nothing"
is "$(query "SELECT count(*) FROM trial t JOIN problem p ON p.id = t.problem JOIN variant v ON v.id = t.variant
	WHERE p.name LIKE '% reproducible' AND v.strategy NOT IN ('block', 'totals', 'lookahead')")" 0 \
	"no variant of another order is tried"
is "$(query "SELECT count(DISTINCT op_class) FROM problem")" 2 "they are of a class of their own"
chosen=$(query "SELECT v.text FROM choice c JOIN problem p ON p.id = c.problem JOIN variant v ON v.id = c.variant
	WHERE p.name = 'sum f32 reproducible' AND c.count = 20000")
is "$(bench f32 --reproducible)" "$chosen tuned" "a reproducible plan takes what was tuned for it"
is "$(bench f32 --json | grep -c "^$chosen tuned")" 0 "and other plans do not"
is "$(bench i32 --reproducible | cut -d' ' -f2)" tuned "integers take what is tuned for any order"
like "$("$scantune" why f32 sum 20000 --reproducible)" "* $chosen " "why shows them"
like "$("$scantune" show f32 sum --reproducible)" "$chosen" "so does show"
like "$("$scantune" list --gains)" "sum f32 reproducible " "and list has them beside the others"
images=$(query "SELECT count(*) FROM kernel WHERE image IS NOT NULL AND variant = '$chosen'")
ok "their machine code is kept" test "$images" -ge 2
ok "verify finds them" "$scantune" verify --device emu
is "$(grep -c '^sum f[0-9>f]* reproducible .* right$' "$tap_dir/.output")" 4 "and finds them right"
ok "recheck times them again" "$scantune" recheck --device emu
is "$(count '% reproducible')" 4 "and they stay"
ok "prune leaves what they need" "$scantune" prune --keep 1
is "$(query "SELECT count(*) FROM kernel WHERE image IS NOT NULL AND variant = '$chosen'")" "$images" \
	"machine code and all"
ok "export has them as a text" "$scantune" export --text "$tap_dir/machine.txt"
ok "vendor makes a database of it" "$scantune" vendor -o "$tap_dir/vendor.db" "$tap_dir/machine.txt"
is "$(SCANRT_DB=$tap_dir/vendor.db bench f32 --reproducible)" "$chosen tuned" "which serves reproducible plans"
is "$("$SQLITE3" "$tap_dir/vendor.db" "SELECT group_concat(name) FROM (SELECT name FROM problem ORDER BY id)")" \
	"$(query "SELECT group_concat(name) FROM (SELECT name FROM problem ORDER BY id)")" \
	"half floats among them, which are summed in floats"
ok "import tries them" "$scantune" import "$tap_dir/vendor.db" --device emu --db "$tap_dir/imported.db"
is "$("$SQLITE3" "$tap_dir/imported.db" "SELECT count(*) FROM choice")" 10 "and makes all choices"
done_testing
