#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The man pages are well-formed and name every variable of the environment that the code reads.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || bail_out "no $top_srcdir"

pages=$(ls man/*.[1-8] 2>/dev/null)
[ -n "$pages" ] || skip_all "this tree has no man pages"

for page in $pages; do
	if [ -n "$MANDOC" ]; then
		# Our own pages are not in the system's folders, so mandoc cannot know that they exist.
		is_empty "$($MANDOC -T lint -W warning "$page" 2>&1 | grep -v 'referenced manual not found')" \
			"mandoc finds nothing to complain about in $page"
	else
		skip 1 "mandoc is not installed"
	fi
done

find lib db tuner emu -name '*.[ch]' | sort | xargs grep -hoE 'getenv\("[A-Z_]+"\)' | grep -oE 'SCANRT_[A-Z_]+' |
	sort -u >"$tap_dir/read"
while read -r variable; do
	# shellcheck disable=SC2086
	ok "the variable $variable is described in a man page" grep -qw "$variable" $pages
done <"$tap_dir/read"

# A section for each strategy and each circuit, under the name that variants have for it.
{
	sed -n 's/^STRATEGY([A-Z_]*, [0-9]*, "\([a-z-]*\)".*/\1/p' lib/strategy.def
	sed -n 's/^CIRCUIT([A-Z_]*, "\([a-z-]*\)".*/\1/p' lib/circuit.def
} >"$tap_dir/explained"
while read -r name; do
	ok "scanrt-kernels(7) explains $name" grep -qx "\.Ss $name" man/scanrt-kernels.7
done <"$tap_dir/explained"
done_testing
