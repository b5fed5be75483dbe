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

# Types and operators are listed in full, those of one kind behind the first of it: SCANRT_C64 , C128.
sed -n '/^enum scanrt_type/,/^};/p; /^enum scanrt_operator/,/^};/p' lib/scanrt.h |
	sed -n 's/^	SCANRT_\([A-Z0-9_]*\) = .*/\1/p' | grep -vx TYPE_DEFAULT >"$tap_dir/constants"
ok "the header has types and operators" grep -qx MOMENTS_F64 "$tap_dir/constants"
missing=
while read -r name; do
	kind=${name%_*}
	[ "$kind" = "$name" ] && kind='[A-Z0-9]*' || kind=${kind}_[A-Z0-9]*
	grep -qE "SCANRT_$name\b|^\.(It )?Dv SCANRT_$kind .*\b${name##*_}\b" man/libscanrt.3 || missing="$missing $name"
done <"$tap_dir/constants"
is_empty "$missing" "libscanrt(3) has every type and operator"

# A section for each strategy and each circuit, under the name that variants have for it.
{
	sed -n 's/^STRATEGY([A-Z_]*, [0-9]*, "\([a-z-]*\)".*/\1/p' lib/strategy.def
	sed -n 's/^CIRCUIT([A-Z_]*, "\([a-z-]*\)".*/\1/p' lib/circuit.def
} >"$tap_dir/explained"
while read -r name; do
	ok "scanrt-kernels(7) explains $name" grep -qx "\.Ss $name" man/scanrt-kernels.7
done <"$tap_dir/explained"
done_testing
