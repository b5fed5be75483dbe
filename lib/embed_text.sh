# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# For the scripts that embed text in C, to be sourced: die, and embed_text FILE, which writes the file's bytes as the
# elements of an array of characters.  An array and not a string literal: a literal may not be longer than 4095 bytes
# in C11.
die() {
	echo "embed.sh: $*" >&2
	exit 1
}

embed_text() {
	[ -s "$1" ] || die "$1 is missing or empty"
	# Bytes beyond ASCII would be negative where char is signed; a zero would end the text early.
	od -An -v -tu1 "$1" | awk '
		{
			line = "\t"
			for (i = 1; i <= NF; i++) {
				if ($i == 0 || $i > 127)
					exit bad = 1
				line = line $i ","
			}
			print line
		}
		END { if (!bad) print "\t0"; exit bad }' || die "$1 is not plain ASCII"
}
