# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Completion for scantune(1) in bash: commands, options, types, operators.  tests/cli/completion.sh compares the lists
# with what scantune itself knows.

_scantune() {
	local commands="devices list show why verify recheck diff export vendor import prune doctor bench compare plot"
	local types="i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64"
	local operators="sum prod min max and or xor"
	local options="--device --quick --thorough --time --type --op --problem --elements --check-operator --all --mode
		--count --db --system --codegen --jobs --seed --require-quiet --restart --dry-run --gains --keep --max-size
		--image --sources --with-images --reproducible --text --variant --repeat --counters --sweep --markdown --vary
		--output --json --quiet --verbose --help --version"
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
	local prefix=

	# Lists go on behind their last comma.
	case $word in
	*,*) prefix=${word%,*}, ;;
	esac
	case $before in
	--device) mapfile -t COMPREPLY < <(compgen -W "0 1 2 3 4 5 6 7 emu" -- "$word") ;;
	--type) mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$types" -- "${word##*,}") ;;
	--op) mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$operators" -- "${word##*,}") ;;
	--mode) mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "inclusive exclusive" -- "${word##*,}") ;;
	--codegen) mapfile -t COMPREPLY < <(compgen -W "sass ptx" -- "$word") ;;
	--time) mapfile -t COMPREPLY < <(compgen -W "90s 10m 1h" -- "$word") ;;
	--db | --sources | --problem | --elements | --output | -o | diff | export | vendor | import | plot)
		mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	--count | --jobs | --seed | --keep | --max-size | --image | --repeat | --variant) COMPREPLY=() ;;
	*)
		if [[ $word == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
		elif ((COMP_CWORD == 1)); then
			mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
		elif [[ $command == show || $command == why ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$types $operators" -- "$word")
		elif [[ $command == diff || $command == vendor ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
		fi
		;;
	esac
}
complete -o filenames -F _scantune scantune
