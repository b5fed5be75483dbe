#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The limits of the style, which HACKING.md explains.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || bail_out "no $top_srcdir"

find lib db kernels tuner emu man examples bench tests -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \
	-o -name '*.def' -o -name '*.sh' -o -name '*.mk' -o -name '*.sql' -o -name '*.map' -o -name '*.[1-8]' \) |
	grep -v -E '/(home|results)/' | sort >"$tap_dir/files"
printf '%s\n' configure.ac Makefile.am bootstrap quickstart .ci/run .clang-format .editorconfig >>"$tap_dir/files"
grep -E '\.(c|h|cu|cuh|def)$' "$tap_dir/files" >"$tap_dir/code"
grep -E '\.c$' "$tap_dir/files" >"$tap_dir/c"
{
	cat "$tap_dir/files"
	printf '%s\n' README.md HACKING.md NEWS bench/results/README.md tuner/scantune.bash
} >"$tap_dir/lines"

is_empty "$(while read -r file; do
	[ "$(head -3 "$file" | grep -c 'SPDX-License-Identifier: MIT')" -eq 1 ] || echo "$file"
done <"$tap_dir/files")" "every file begins with its SPDX line"

is_empty "$(xargs wc -l <"$tap_dir/code" | awk '$1 > 400 && $2 != "total" { print $2 ": " $1 " lines" }')" \
	"no source file has more than 400 lines"

is_empty "$(xargs awk '
	{
		width = 0
		for (i = 1; i <= length($0); i++)
			width = substr($0, i, 1) == "\t" ? width + 8 - width % 8 : width + 1
		if (width > 120 && !(FILENAME ~ /\.md$/ && /^\|/) && !(FILENAME ~ /\.[1-8]$/ && /^\./))
			print FILENAME ":" FNR ": " width " columns"
	}' <"$tap_dir/lines")" "no line is wider than 120 columns, tabs being 8, but for tables and the macros of mdoc"

is_empty "$(xargs grep -nE '[[:blank:]]+$' <"$tap_dir/files" | head -20)" "no line ends in blanks"

# A function's body stands between braces at the left margin.
xargs awk '
	FNR == 1 { start = 0 }
	/^\{/ { start = FNR; next }
	/^\}/ { if (start) print FNR - start - 1, FILENAME ":" start; start = 0 }' <"$tap_dir/c" |
	sort -n >"$tap_dir/functions"
is_empty "$(awk '$1 > 80' "$tap_dir/functions")" "no function has more than 80 lines"
awk '{ lines[NR] = $1; if ($1 <= 35) short++ }
	END { print lines[int((NR + 1) / 2)], NR ? int(short * 100 / NR) : 100, NR }' \
	"$tap_dir/functions" >"$tap_dir/summary"
read -r median short_share count <"$tap_dir/summary"
diag "$count functions, median $median lines, $short_share % within 35"
ok "half of the functions have 12 lines or fewer" test "$median" -le 12
ok "nine in ten functions have 35 lines or fewer" test "$short_share" -ge 90

# The words are put together here so that this file does not find itself.
mark="TO""DO|FIX""ME|XX""X"
is_empty "$(xargs grep -nwE "$mark" <"$tap_dir/files" | grep -v -E '^tests/(tap\.|unit/tap\.c|api/style)|^quickstart' |
	head -20)" "no unfinished business is left in the sources"
is_empty "$(xargs grep -nE '^typedef .*\b[a-z_]+_t;|^\} [a-z_]+_t;' <"$tap_dir/code" | head)" \
	"no type of ours ends in _t"
is_empty "$(xargs grep -nE '/wo''rk/|regis''try\.npm|pypi\.or''g' <"$tap_dir/files" | head)" \
	"no file names a path or a host of a developer's machine"
done_testing
