#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What scantune says to a wrong command line, and where there is no device or no database.
. "$top_srcdir/tests/tap.sh"
scantune=$top_builddir/scantune
quick_device=$(cd "$top_builddir" && pwd)/tests/cli/.libs/libscanrt-emu-quick.so
HOME=$tap_dir/home
export HOME
mkdir -p "$HOME"

fails "no argument at all is a usage error" 1 "$scantune"
like "$(cat "$tap_dir/.output")" "usage: scantune --device" "and the usage is shown"
ok "--help succeeds" "$scantune" --help
like "$(cat "$tap_dir/.output")" "Exit status" "and tells the exit statuses"
help=$(cat "$tap_dir/.output")
ok "help is a command, too" "$scantune" help
is "$(cat "$tap_dir/.output")" "$help" "that says the same"
ok "--version succeeds" "$scantune" --version
fails "options without a device or a command are a usage error" 1 "$scantune" --type i32
is "$(cat "$tap_dir/.output")" \
	"scantune: --device N|emu names what to tune; --help has the other commands" "told in one line"
fails "an unknown option is a usage error" 1 "$scantune" --nonsense
like "$(cat "$tap_dir/.output")" "scantune: --help has all options" "and where to look is told"
for misspelt in devise=device quik=quick kep=keep verbsoe=verbose; do
	fails "--${misspelt%=*} is a usage error" 1 "$scantune" --"${misspelt%=*}"=x
	like "$(cat "$tap_dir/.output")" "did you mean --${misspelt#*=}?" "and what it may mean is told"
done
fails "an option without its value is a usage error" 1 "$scantune" list --db
is "$(wc -l <"$tap_dir/.output")" 1 "for which no other option is suggested"
fails "lst is no command" 1 "$scantune" lst
like "$(cat "$tap_dir/.output")" "did you mean list?" "and what it may mean is told"
fails "an unknown command is a usage error" 1 "$scantune" wherefore i32 sum
like "$(cat "$tap_dir/.output")" "devices, list, show, why, verify, recheck, diff, bench" "and what exists is named"
fails "an unknown type is a usage error" 1 "$scantune" --device emu --type i31
like "$(cat "$tap_dir/.output")" "i8 i16 i32" "and the types are named"
like "$(cat "$tap_dir/.output")" "--problem FILE states others" "and where to state others is told"
fails "an unknown operator is a usage error" 1 "$scantune" --device emu --op plus
like "$(cat "$tap_dir/.output")" "sum prod min" "and the operators are named"
fails "an operator that does not take the type is a usage error" 1 "$scantune" --device emu --op xor --type f32
fails "an internal operator is unknown to users" 1 "$scantune" --device emu --op affine
fails "a count that is no number is a usage error" 1 "$scantune" --device emu --count many
fails "a fractional count is a usage error" 1 "$scantune" --device emu --count 1.5
fails "a count of zero is a usage error" 1 "$scantune" --device emu --count 0
fails "seven counts are a usage error" 1 "$scantune" --device emu --count 1,2,3,4,5,6,7
fails "a duration that is none is a usage error" 1 "$scantune" --device emu --time soon
fails "an unknown mode is a usage error" 1 "$scantune" --device emu --mode both
fails "an unknown way to machine code is a usage error" 1 "$scantune" --device emu --codegen llvm
fails "no compilers at all is a usage error" 1 "$scantune" --device emu --jobs 0
fails "a power without its exponent is a usage error" 1 "$scantune" --device emu --count 2^
fails "a hexadecimal count is a usage error" 1 "$scantune" --device emu --count 0x10
fails "a duration of more than 30 years is a usage error" 1 "$scantune" --device emu --time 1e300h
fails "a seed beyond 64 bits is a usage error" 1 "$scantune" --device emu --seed 99999999999999999999999
fails "no name of a database is a usage error" 1 "$scantune" list --db ""
fails "two databases are a usage error" 1 "$scantune" list --db x --system
fails "two counts of one class are a usage error" 1 env SCANRT_EMU_MODEL=tiny \
	SCANRT_LIBCUDA="$quick_device" "$scantune" --device emu --dry-run --count 1000,1001
fails "an option of bench is refused for a tuning run" 1 "$scantune" --device emu --variant lookback
like "$(cat "$tap_dir/.output")" "--variant is no option of a tuning run" "and named"
fails "an option of a tuning run is refused for list" 1 "$scantune" list --device emu
fails "an option of a tuning run is refused for bench" 1 "$scantune" bench --quick
fails "devices has no database" 1 "$scantune" devices --db x
fails "show with an unknown operator is a usage error" 1 "$scantune" show plus i32
like "$(cat "$tap_dir/.output")" "plus\" is no operator" "and the operator is what is called unknown"
fails "show without an operator is a usage error" 1 "$scantune" show i32
fails "list with an operand is a usage error" 1 "$scantune" list i32
fails "an option of compare is refused for bench" 1 "$scantune" bench --sweep
fails "compare with a file and no --markdown is a usage error" 1 "$scantune" compare "$tap_dir/lines"
fails "compare with a file that is not there is a usage error" 1 "$scantune" compare --markdown "$tap_dir/lines"
fails "plot without an output is a usage error" 1 "$scantune" plot "$tap_dir/lines"

ok "why without a database is no error" "$scantune" why i32 sum 1000
like "$(cat "$tap_dir/.output")" "nothing is tuned for sum i32: scans use what is compiled in" "and says what scans use"
mkdir -p "$HOME/.cache/scanrt"
echo "no database at all" >"$HOME/.cache/scanrt/tune.db"
fails "a user's file that is none is one" 4 "$scantune" why i32 sum 1000
rm "$HOME/.cache/scanrt/tune.db"
fails "so is a file that was named and is not there" 4 "$scantune" why i32 sum 1000 --db "$tap_dir/none.db"

# What programs read.
keys=$(grep -ohE 'tune_json_(text|integer|number|boolean)\(&?[a-z]+, "[a-z0-9_]+"' "$top_srcdir"/tuner/*.c |
	sed 's/.*"\(.*\)"/\1/' | sort -u)
missing=
for key in $keys; do
	grep -qE "^\.(Va|Cm).*\b$key\b" "$top_srcdir/man/scantune.1" || [ "$key" = event ] || missing="$missing $key"
done
is_empty "$missing" "scantune(1) has every key of the lines of JSON"

# Problems of files.
cat >"$tap_dir/own.problem" <<'EOF'
input i32
operator first <<EOT
int apply(int e, int l) { return e; }
EOT
EOF
fails "a problem that is not there is a usage error" 1 "$scantune" --device emu --problem "$tap_dir/none.problem"
like "$(cat "$tap_dir/.output")" "none.problem: No such file" "and named"
fails "a problem beside a type is a usage error" 1 "$scantune" --device emu --problem "$tap_dir/own.problem" --type i32
fails "elements of no problem are a usage error" 1 "$scantune" --device emu --elements "$tap_dir/own.problem"
fails "a check of no operator is a usage error" 1 "$scantune" --device emu --check-operator
fails "a mode that the problem does not have is a usage error" 1 "$scantune" --device emu --mode exclusive \
	--problem "$tap_dir/own.problem"
like "$(cat "$tap_dir/.output")" "has no exclusive scan" "and said to be none"
fails "show takes the problem or its names" 1 "$scantune" show i32 sum --problem "$tap_dir/own.problem"
printf 'input i32\noperator nonsense\n' >"$tap_dir/bad.problem"
fails "a file that is no problem is a usage error" 1 "$scantune" bench --problem "$tap_dir/bad.problem"
like "$(cat "$tap_dir/.output")" "bad.problem:2: there is no built-in operator nonsense" "with its line"

# What is printed has to arrive, or the exit status says so.
prints_to_full() {
	"$@" >/dev/full
}
prints_to_closed() {
	"$@" >&-
}
if [ -c /dev/full ]; then
	fails "a list that a full disk cuts is no success" 1 prints_to_full "$scantune" list
	like "$(cat "$tap_dir/.output")" "standard output" "and the reason is told"
	fails "nor is help that nobody gets" 1 prints_to_full "$scantune" --help
else
	skip 3 "there is no /dev/full"
fi
fails "a closed standard output is told, too" 1 prints_to_closed "$scantune" list

# A misspelt machine is not to pass for the default one.
emulated() {
	env SCANRT_LIBCUDA="$quick_device" "$@" "$scantune" devices
}
ok "the emulated device is there" emulated SCANRT_EMU_SMS=7 SCANRT_EMU_MEMORY=64M
like "$(cat "$tap_dir/.output")" "7 SMs" "with as many SMs as asked for"
for setting in SCANRT_EMU_SMS=0 SCANRT_EMU_SMS=99999999999999999999 SCANRT_EMU_SMS=17x SCANRT_EMU_MEMORY=17x \
	SCANRT_EMU_MEMORY=16E SCANRT_EMU_DEVICES=-1 SCANRT_EMU_DEVICES=17; do
	fails "$setting makes no emulated device" 3 emulated "$setting"
	like "$(cat "$tap_dir/.output")" "${setting%=*}: no number" "and the setting is named"
done
for setting in SCANRT_EMU_FAIL=cuMemAllok:1:2 SCANRT_EMU_FAIL=cuMemAlloc:0:2 SCANRT_EMU_FAIL=cuInit:9:1,cuMemAlloc \
	SCANRT_EMU_LOG="$tap_dir/no/log" SCANRT_EMU_COUNTERS="$tap_dir" SCANRT_DRIVER=foo; do
	fails "$setting makes no device" 3 emulated "$setting"
	like "$(cat "$tap_dir/.output")" "${setting%%=*}" "and the setting is named"
done

SCANRT_LIBCUDA=$tap_dir/nothing.so
export SCANRT_LIBCUDA
fails "without a driver tuning exits with 3" 3 "$scantune" --device 0 --db "$tap_dir/x.db"
like "$(cat "$tap_dir/.output")" "cannot load the CUDA driver" "and says why"
like "$(cat "$tap_dir/.output")" "without a GPU, --device emu is the emulated device" "and what there is in its place"
fails "a device that is no ordinal exits with 3" 3 "$scantune" --device gpu --db "$tap_dir/x.db"
fails "without a driver bench exits with 3" 3 "$scantune" bench --count 1000
ok "no database was left behind" test ! -e "$tap_dir/x.db"

ok "list before anything is tuned succeeds" "$scantune" list
like "$(cat "$tap_dir/.output")" "nothing is tuned" "and says so"
fails "list of a database that is not there exits with 4" 4 "$scantune" list --db "$tap_dir/none.db"
printf 'not a database at all, only a text that is long enough to be looked at' >"$tap_dir/text.db"
fails "list of a file that is no database exits with 4" 4 "$scantune" list --db "$tap_dir/text.db"
fails "doctor finds that there is no driver" 2 env SCANRT_VARIANT=lookback "$scantune" doctor
like "$(cat "$tap_dir/.output")" "SCANRT_DRIVER=emu means the emulated device" "and tells what there is in its place"
like "$(cat "$tap_dir/.output")" "SCANRT_VARIANT=lookback pins the variant" "and that somebody has pinned a variant"
SCANRT_DB=off
export SCANRT_DB
fails "doctor looks at the rest with SCANRT_DB=off" 2 "$scantune" doctor
like "$(cat "$tap_dir/.output")" "note  database   SCANRT_DB=off" "and notes that scans have no database"
fails "list with SCANRT_DB=off exits with 4" 4 "$scantune" list
done_testing
