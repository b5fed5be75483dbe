# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Completion for scantune(1) in bash: commands, their options, types, operators, knobs.  tests/cli/completion.sh
# compares the lists with what scantune itself knows.

# The options of a command; of a tuning run for what is an option itself; all where nothing is known yet.
_scantune_options() {
	local work="--device --type --op --all --mode --count --db --codegen --seed --json"
	local again="--device --type --op --problem --elements --codegen --jobs --seed --require-quiet --json --quiet
		--verbose"
	local tuning="--device --quick --thorough --time --type --op --problem --elements --check-operator --all --mode
		--count --db --system --codegen --jobs --seed --require-quiet --restart --dry-run --reproducible --json
		--quiet --verbose"

	case $1 in
	devices) echo "--json" ;;
	list) echo "--gains --db --system --json" ;;
	show | why) echo "--problem --reproducible --db --system --json" ;;
	verify | recheck) echo "$again --db --system" ;;
	diff) echo "$again" ;;
	import) echo "$again --db --system --with-images" ;;
	export) echo "--with-images --text --image --db --system" ;;
	vendor) echo "--output --sources --quiet" ;;
	prune) echo "--keep --max-size --dry-run --db --json" ;;
	doctor) echo "--db --system --json" ;;
	bench) echo "$work --problem --elements --variant --repeat --counters --reproducible" ;;
	compare) echo "$work --sweep --vary --markdown" ;;
	plot) echo "--type --op --output --db --system" ;;
	-*) echo "$tuning" ;;
	*)
		echo "$tuning --gains --keep --max-size --image --sources --with-images --text --variant --repeat" \
			"--counters --sweep --markdown --vary --output"
		;;
	esac
	echo "--help --version"
}

_scantune() {
	local commands="devices list show why verify recheck diff export vendor import prune doctor bench compare plot"
	local types="i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64"
	local operators="sum prod min max and or xor"
	local knobs="block items lanes warp circuit fan load store residency stages ahead gather teams cluster exchange
		partials"
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
	--vary) mapfile -t COMPREPLY < <(compgen -W "$knobs" -- "$word") ;;
	--codegen) mapfile -t COMPREPLY < <(compgen -W "sass ptx" -- "$word") ;;
	--time) mapfile -t COMPREPLY < <(compgen -W "90s 10m 1h" -- "$word") ;;
	--db | --sources | --problem | --elements | --output | -o)
		mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	--count | --jobs | --seed | --keep | --max-size | --image | --repeat | --variant) COMPREPLY=() ;;
	*)
		if [[ $word == -* ]]; then
			((COMP_CWORD > 1)) || command=
			mapfile -t COMPREPLY < <(compgen -W "$(_scantune_options "$command")" -- "$word")
		elif ((COMP_CWORD == 1)); then
			mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
		elif [[ $command == show || $command == why ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$types $operators" -- "$word")
		elif [[ $command =~ ^(diff|export|vendor|import|plot|compare)$ ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
		fi
		;;
	esac
}
complete -o filenames -F _scantune scantune
