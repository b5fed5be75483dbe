#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The script that embeds the kernels keeps every byte of any text that a kernel may have.
. "${top_srcdir:-.}/tests/tap.sh"
embed=$top_srcdir/kernels/embed.sh

# A line longer than a C literal may be, quotes, backslashes, trigraphs, no line break at the end; 80 KB in all.
awk 'BEGIN { for (i = 0; i < 5000; i++) printf "x%d ", i % 10; print "" }' >"$tap_dir/long.cuh"
printf '%s' '"quoted" \\n \0 %s ??/ */ /* \' >"$tap_dir/odd.cuh"
printf '\t\f\r\v\001\177\n' >"$tap_dir/control.cuh"
awk 'BEGIN { for (i = 0; i < 4000; i++) print "int line_" i ";" }' >"$tap_dir/scan.cu"
cat >"$tap_dir/print.c" <<'END'
#include <stdio.h>
#include <string.h>
#include "source.h"

int main(int count, char **names)
{
	const struct srt_source *source;

	(void)count;
	for (source = srt_sources; source->name; source++)
		if (!names[1])
			puts(source->name);
		else if (strcmp(source->name, names[1]) == 0)
			fwrite(source->text, 1, source->length, stdout);
	return 0;
}
END

cd "$tap_dir" || bail_out "no $tap_dir"
sh "$embed" long.cuh ./odd.cuh "$tap_dir/control.cuh" scan.cu >sources.c || bail_out "the script fails"
# shellcheck disable=SC2086
ok "what it writes compiles without a warning, pedantically" \
	$CC $SANITIZER_CFLAGS -std=c11 -pedantic -Wall -Wextra -Werror -I"$top_srcdir/lib" -o print print.c sources.c
is "$(./print | tr '\n' ' ')" "long.cuh odd.cuh control.cuh scan.cu " \
	"files are under their base names, in the order given"
for name in long.cuh odd.cuh control.cuh scan.cu; do
	./print "$name" >seen
	ok "every byte of $name comes back" cmp "$name" seen
done

printf 'a \303\244\n' >umlaut.cuh
printf 'a\000b\n' >zero.cuh
: >empty.cuh
mkdir other
cp scan.cu other/scan.cu
fails "a text beyond ASCII is refused" 1 sh "$embed" umlaut.cuh
fails "a zero byte is refused" 1 sh "$embed" zero.cuh
fails "an empty file is refused" 1 sh "$embed" empty.cuh
fails "a missing file is refused" 1 sh "$embed" missing.cuh
fails "two files of one name are refused" 1 sh "$embed" scan.cu other/scan.cu
fails "no file at all is refused" 1 sh "$embed"
done_testing
