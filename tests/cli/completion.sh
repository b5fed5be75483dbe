#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The completion for bash knows what scantune knows: every command, option, type and operator.
. "$top_srcdir/tests/tap.sh"
scantune=$top_builddir/scantune
script=$top_srcdir/tuner/scantune.bash
command -v bash >/dev/null || skip_all "there is no bash"

# What is offered for a command line, the last word of which is being typed.
offers() {
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _scantune; printf "%s\n" "${COMPREPLY[@]}"' \
		completion "$script" "$@"
}
sorted() {
	tr -s ' \n' '\n\n' | sed '/^$/d' | sort -u | paste -s -d ' ' -
}

ok "the script is bash" bash -n "$script"
"$scantune" --help >"$tap_dir/help"
is "$(offers scantune -- | sorted)" "$(grep -oE -- '--[a-z][a-z-]+' "$tap_dir/help" | sorted)" \
	"every option of --help is offered, and no other"
is "$(offers scantune '' | sorted)" \
	"$(grep -oE '^ +scantune [a-z|]+' "$tap_dir/help" | sed 's/.* //' | tr '|' '\n' | sorted)" \
	"every command of --help is offered, and no other"
is "$(offers scantune --type '' | sorted)" "$("$scantune" --device emu --type x 2>&1 | sed 's/.*are://' | sorted)" \
	"every type is offered, and no other"
is "$(offers scantune --op '' | sorted)" "$("$scantune" --device emu --op x 2>&1 | sed 's/.*are://' | sorted)" \
	"every operator is offered, and no other"
is "$(offers scantune --type i32,f6)" "i32,f64" "a list goes on behind its comma"
is "$(offers scantune show su)" "sum" "show takes operators"
is "$(offers scantune re)" "recheck" "a command is completed"
is "$(offers scantune --require)" "--require-quiet" "so is an option"
done_testing
