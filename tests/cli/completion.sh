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
is "$(offers scantune --type '' | sorted)" "$("$scantune" --device emu --type x 2>&1 | sed 's/.*are://; s/;.*//' |
	sorted)" \
	"every type is offered, and no other"
is "$(offers scantune --op '' | sorted)" "$("$scantune" --device emu --op x 2>&1 | sed 's/.*are://; s/;.*//' |
	sorted)" \
	"every operator is offered, and no other"
is "$(offers scantune compare --vary '' | sorted)" \
	"$(sed -n 's/^\.It Cm \([a-z]*\) Ta .* Ta .*/\1/p' "$top_srcdir/man/scanrt-variant.5" | sorted)" \
	"every knob is offered, and no other"

# What a command refuses is refused before it does anything: so --sources, refused by all but one, is given, too, and is
# named where the option itself is not.
value_of() {
	case $1 in
	--mode) echo inclusive ;;
	--codegen) echo sass ;;
	*) echo 1 ;;
	esac
}
takes() {
	option=$1
	shift
	case $option in
	--quick | --thorough | --all | --system | --restart | --dry-run | --json | --quiet | --verbose | --counters | \
		--sweep | --markdown | --require-quiet | --with-images | --gains | --check-operator | --text | \
		--reproducible) set -- "$@" "$option" ;;
	*) set -- "$@" "$option=$(value_of "$option")" ;;
	esac
	! "$scantune" "$@" --sources=x 2>&1 | grep -q -- "$option is no option of"
}
for command in devices list "show i32 sum" "why i32 sum 1" verify recheck "diff a b" "import a" "export a" prune \
	doctor bench compare plot --device=emu; do
	taken=
	# shellcheck disable=SC2086
	for option in $(offers scantune -- | grep -vxE -- '--(help|version|sources)'); do
		! takes "$option" $command || taken="$taken $option"
	done
	is "$(offers scantune "${command%% *}" -- | grep -vxE -- '--(help|version)' | sorted)" \
		"$(echo "$taken" | sorted)" "what is offered behind ${command%% *} is what it takes"
done
is "$(offers scantune --type i32,f6)" "i32,f64" "a list goes on behind its comma"
: >"$tap_dir/a.jsonl"
is "$(offers scantune plot "$tap_dir/a.j")" "$tap_dir/a.jsonl" "a command that takes a file is offered files"
is "$(offers scantune show su)" "sum" "show takes operators"
is "$(offers scantune re)" "recheck" "a command is completed"
is "$(offers scantune --require)" "--require-quiet" "so is an option"
done_testing
