#!/bin/sh
# SPDX-License-Identifier: MIT
#
# scantune compare and plot, from the outside: rows, lines, tables, drawings.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/quick.sh"

compare() {
	"$scantune" compare --device emu --db "$db" --count 4096 "$@"
}

ok "compare needs no database" compare
like "$(cat "$tap_dir/.output")" "times are modelled" "and says that the emulated device's times are a model"
like "$(cat "$tap_dir/.output")" "copy (kernel)" "and has the copy among the rows"

compare --json >"$tap_dir/tried"
for strategy in block lookback lookahead; do
	is "$(grep -c "\"row\":\"$strategy\",\"kind\":\"tried\"" "$tap_dir/tried")" 1 \
		"without a database the best of a short list stands for $strategy"
done
for strategy in lookback lookahead; do
	is "$(grep -c "\"row\":\"$strategy\",\"kind\":\"taught\"" "$tap_dir/tried")" 1 \
		"$strategy has a row with few items a thread"
done
is "$(grep -c '"row":"libscanrt","kind":"library"' "$tap_dir/tried")" 1 "what a program gets has a row"
is "$(grep -c '"is_modelled":true' "$tap_dir/tried")" "$(wc -l <"$tap_dir/tried")" "every line is marked as modelled"
what='"gpu":"[^"]*","driver":[0-9]*,"nvrtc":"[^"]*","commit":[^,]*,"type":"i32","op":"sum","mode":"inclusive"'
times='"us":[0-9.]*,"low_us":[0-9.]*,"high_us":[0-9.]*,"copy_us":[0-9.]*,"share":[0-9.]*'
peer='"peer":null,"peer_us":null,"ratio":null,'
is_empty "$(grep -v "^{$what,\"count\":4096,\"layout\":\"contiguous\",\"variant\":.*\"origin\":.*$times,$peer" \
	"$tap_dir/tried")" \
	"every line begins with the keys of all results"
is_empty "$(grep -v '"launches":1,' "$tap_dir/tried" | grep -v -E '"row":"(fan|reduce|reduce-fixed)"')" \
	"each scan is one launch, but for those that are known for more"

is_empty "$(compare --type f64 --json | grep -v '"type":"f64","op":"sum"')" "a type without an operator is that of sums"
is_empty "$(compare --op max --json | grep -v '"type":"i32","op":"max"')" "an operator without a type is that of i32"

tune >/dev/null 2>&1
compare --json >"$tap_dir/tuned"
for strategy in block lookback lookahead; do
	is "$(grep -c "\"row\":\"$strategy\",\"kind\":\"tuned\"" "$tap_dir/tuned")" 1 \
		"what was tuned of $strategy is taken from the database"
done
"$SQLITE3" "$db" "SELECT v.text FROM trial t JOIN variant v ON v.id = t.variant WHERE t.status = 'ok' AND t.us > 0
	AND v.text LIKE 'lookback%' AND t.count = (SELECT max(count) FROM trial) ORDER BY t.us LIMIT 1" >"$tap_dir/best"
compare --count 16384 --json | grep '"row":"lookback","kind":"tuned"' >"$tap_dir/row"
like "$(cat "$tap_dir/row")" "\"variant\":\"$(cat "$tap_dir/best")\"" "and it is the fastest of the nearest count"

compare --sweep --json >"$tap_dir/sweep"
is "$(grep -o '"count":[0-9]*' "$tap_dir/sweep" | sort -u | wc -l)" 3 \
	"a sweep has counts from 1000 to the one asked for"
is "$(grep -c '"kind":"taught"' "$tap_dir/sweep")" 0 "and only what is worth using"

compare --vary circuit --json >"$tap_dir/vary"
for circuit in koggestone warps brentkung raking; do
	is "$(grep -c "\"row\":\"lookback, $circuit\",\"kind\":\"varied\"" "$tap_dir/vary")" 1 \
		"--vary circuit has a row of lookback with $circuit"
done
fails "--vary of a knob that there is not is refused" 1 compare --vary colour
like "$(cat "$tap_dir/.output")" "unknown knob 'colour': there are block, items," "and told which there are"

"$scantune" compare --markdown "$tap_dir/tuned" >"$tap_dir/table"
like "$(cat "$tap_dir/table")" "| lookback, at its best | 1 |" "lines become a table of Markdown"
like "$(cat "$tap_dir/table")" "of 4096 elements" "under the count"
ok "compare prints Markdown itself, too" compare --markdown
like "$(cat "$tap_dir/.output")" "| launches | words |" "with the same head"
printf 'nothing\n{"us":}\n' >"$tap_dir/noise"
fails "a file without result lines is refused" 1 "$scantune" compare --markdown "$tap_dir/noise"

fails "a drawing that is neither SVG nor PNG is refused" 1 "$scantune" plot "$tap_dir/sweep" -o "$tap_dir/x.gif"
fails "plot of a file without result lines is refused" 1 "$scantune" plot "$tap_dir/noise" -o "$tap_dir/x.svg"
# The shell itself is found by its path; gnuplot is not on this one.
fails "without gnuplot, plot fails" 1 env PATH="$tap_dir" "$scantune" plot "$tap_dir/sweep" -o "$tap_dir/x.svg"
like "$(cat "$tap_dir/.output")" "gnuplot-nox" "and names the package"
if command -v gnuplot >/dev/null; then
	cat "$tap_dir/tuned" "$tap_dir/sweep" >"$tap_dir/both"
	ok "plot draws an SVG" "$scantune" plot "$tap_dir/both" -o "$tap_dir/x.svg"
	like "$(cat "$tap_dir/x.svg")" "lookahead" "with the strategies in it"
	like "$(cat "$tap_dir/x.svg")" "modelled" "marked as modelled"
	ok "plot draws a PNG" "$scantune" plot "$tap_dir/both" -o "$tap_dir/x.png"
	is "$(head -c 4 "$tap_dir/x.png" | tail -c 3)" PNG "which is one"
	ok "plot draws what is in the database" "$scantune" plot --db "$db" -o "$tap_dir/y.svg"
	like "$(cat "$tap_dir/y.svg")" "lookback" "with the strategies in it"
	sed 's/"row":"lookback"/"row":"`touch '"$(basename "$tap_dir")"'`\\"; exit"/' "$tap_dir/both" >"$tap_dir/evil"
	(cd "$tap_dir" && "$scantune" plot evil -o z.svg) >/dev/null 2>&1
	ok "texts of a file are not run" test ! -e "$tap_dir/$(basename "$tap_dir")"
else
	skip 8 "gnuplot is not installed"
fi
done_testing
