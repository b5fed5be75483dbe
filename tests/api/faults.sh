#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Faults that other libraries had have an id, and each that ours could have is in the name of a test that shows it.  A
# name is a string between quotes: a comment that mentions an id does not count.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || bail_out "no $top_srcdir"

shown="B001 B003 B005 B011 B015 B020 B021 B023 B025 B027 B029 B041 B043 B045 B047 B049 B051 B053 B055 B057 B059 B05B
B060 B061 B063 B065 B067 B068 B069 B071 B073 B075 B076 B077 B079 B081 B083 B085 B087 B089 B091 B093 B095 B097 B099
B101 B105 B107 B109 B111 B113 B121 B123 B125 B127 B129 B131 B135 B137 B139 B147 B175"

# What these are about is not offered: segments, axes, keys, selection, a count on the device, several devices, and a
# list of compilers to be kept from.
absent="B007 B009 B013 B115 B133 B145 B153 B155 B157 B161 B163 B165 B167 B171 B173"

# Times alone, which no test judges: bench/table does, by its rows of cliffs and defaults.
timed="B149 B151"

find tests -name '*.c' -o -name '*.sh' | grep -v '^tests/api/faults.sh$' | sort >"$tap_dir/files"
# Comments go first: of whole lines, as ours are, and behind code.
xargs sed -e 's,^[[:blank:]]*/\*.*,,; s,^ \*.*,,; s,[[:blank:]]/\*.*\*/,,; s,^[[:blank:]]*#.*,,' <"$tap_dir/files" |
	grep -oE '"[^"]*B[01][0-9][0-9A-F][^0-9A-Za-z][^"]*"' | grep -oE '\bB[01][0-9][0-9A-F]\b' |
	sort -u >"$tap_dir/named"

for id in $shown; do
	ok "the fault $id is in the name of a test" grep -qx "$id" "$tap_dir/named"
done
printf '%s\n' $shown | sort >"$tap_dir/shown"
is_empty "$(comm -13 "$tap_dir/shown" "$tap_dir/named")" "no test names a fault that is not in the list"
is "$(printf '%s\n' $shown $absent $timed | sort | uniq -d)" "" "no fault is in two lists"
done_testing
