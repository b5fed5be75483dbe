#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bench/table on the emulated device: the program that will spend a GPU's time is known to work before.
. "$top_srcdir/tests/tap.sh"
[ -n "$NVRTC_DIR" ] || skip_all "no NVRTC"
table() {
	env SCANRT_DB=off SCANRT_LIBCUDA="$top_builddir/.libs/libscanrt-emu.so" "$top_builddir/bench/table" --device \
		emu --time 10h \
		"$@"
}

ok "every kind of section runs" table --quick --only host,steps,flat,small,placement,mixed --json "$tap_dir/lines"
cp "$tap_dir/.output" "$tap_dir/text"
like "$(cat "$tap_dir/text")" "times are modelled" "and says that the times are a model"
unlike "$(cat "$tap_dir/text")" "MISSED" "and judges no modelled time"
for part in "sum i32, host " "host-threads" "sum i8, misaligned" "sum i64, in-place" "sum i8>i32>i32" \
	"no count takes over 5 % longer"; do
	like "$(cat "$tap_dir/text")" "$part" "the table has: $part"
done
ok "there are as many lines as rows" test "$(wc -l <"$tap_dir/lines")" -gt 50
number='\(null\|[0-9.e+-]*\)'
what='"gpu":"[^"]*","driver":[0-9]*,"nvrtc":"[^"]*","commit":[^,]*'
which='"type":"[^"]*","op":"[a-z]*","mode":"[a-z]*","count":[0-9]*,"layout":"[a-z-]*"'
times="\"us\":$number,\"low_us\":$number,\"high_us\":$number,\"copy_us\":$number,\"share\":$number"
peer="\"peer\":\\(null\\|\"[^\"]*\"\\),\"peer_us\":$number,\"ratio\":$number"
is_empty "$(grep -v "^{$what,$which,\"variant\":\"[^\"]*\",\"origin\":\"[a-z]*\",$times,$peer}\$" "$tap_dir/lines")" \
	"every line has the keys of results, and no others"

fails "a target that is missed makes the exit status 1" 1 table --only small --judge
like "$(cat "$tap_dir/.output")" "targets are met; missed are:" "and is named at the end"
table --only small --json - >"$tap_dir/only"
is_empty "$(grep -v '^{' "$tap_dir/only")" "--json - prints lines, and no table"
fails "a wrong result makes the exit status 2" 2 table --only placement --quick --spoil
is "$(grep -c 'FAILED: [12] of 3000 results are wrong, the first at 1500' "$tap_dir/.output")" \
	"$(grep -c '^sum' "$tap_dir/.output")" "and every row with one is named, with the place"
ok "results go into a folder of the GPU" table --only small --results "$tap_dir/results" --commit 0123abc
is "$(cat "$tap_dir"/results/*emulated*/*-table.jsonl | grep -c '"commit":"0123abc"')" "$(wc -l <"$tap_dir/only")" \
	"as lines with the commit"
ok "--list measures nothing" table --list
like "$(cat "$tap_dir/.output")" "xor u64" "and names the rows"
fails "an unknown option exits with 2" 2 table --nonsense

"$top_builddir/scantune" compare --markdown "$tap_dir/lines" >"$tap_dir/markdown"
like "$(cat "$tap_dir/markdown")" "| sum i8, misaligned | 3000 |" "the lines become a table of Markdown"
done_testing
