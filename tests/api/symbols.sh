#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the library exports is what scanrt.h declares, what the symbol map lists and what the man pages describe; and
# it calls nothing that prints or ends the program.
. "${top_srcdir:-.}/tests/tap.sh"

library=$top_builddir/.libs/libscanrt.so
[ -f "$library" ] || bail_out "there is no $library"

nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	grep -v -E '^(__|_init$|_fini$|_edata$|_end$)' | sort -u >"$tap_dir/exported"
grep -oE '\bscanrt_[a-z_]+;' "$top_srcdir/lib/libscanrt.map" | tr -d ';' | sort -u >"$tap_dir/map"
# A declaration begins at the left margin; calls and comments do not.
grep -E '^[a-z].*\bscanrt_[a-z_]+\(' "$top_srcdir/lib/scanrt.h" | grep -v '^typedef' |
	grep -oE '\bscanrt_[a-z_]+\(' | tr -d '(' | sort -u >"$tap_dir/header"

differences() {
	diff "$1" "$2" | grep '^[<>]' || true
}

is "$(wc -l <"$tap_dir/header" | tr -d ' ')" "$(grep -c . "$tap_dir/header")" "scanrt.h declares functions"
is_empty "$(differences "$tap_dir/map" "$tap_dir/header")" "the symbol map lists exactly the functions of scanrt.h"
is_empty "$(differences "$tap_dir/exported" "$tap_dir/map")" "libscanrt.so exports exactly what the symbol map lists"

cat "$top_srcdir"/man/*.3 2>/dev/null | grep -oE '^\.F[no] scanrt_[a-z_]+' | sed 's/^.* //' | sort -u >"$tap_dir/man"
if [ -s "$tap_dir/man" ]; then
	is_empty "$(differences "$tap_dir/header" "$tap_dir/man")" \
		"the man pages describe exactly the functions of scanrt.h"
else
	skip 1 "this tree has no man pages of section 3"
fi

nm -D --undefined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF }' |
	grep -x -E '(__)?(v?printf|puts|putchar|perror)(_chk)?|exit|_exit|_Exit|abort|quick_exit' >"$tap_dir/calls"
is_empty "$(cat "$tap_dir/calls")" "libscanrt.so calls nothing that prints or that ends the program"

is "$(readelf -d "$library" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')" "libscanrt.so.0" "the soname is libscanrt.so.0"
unlike "$(readelf -d "$library" | grep NEEDED)" "libcuda" "libscanrt.so needs no libcuda to load"
unlike "$(readelf -d "$library" | grep NEEDED)" "libnvrtc" "libscanrt.so needs no NVRTC to load"
done_testing
