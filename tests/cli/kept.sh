#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What programs kept under SCANRT_WRITE_CACHE, which nobody has verified until scantune verify does; and databases that
# may only be looked at.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/quick.sh"
SCANRT_DB=$db
export SCANRT_DB
scan() {
	SCANRT_WRITE_CACHE=1 SCANRT_LOG=stderr "$scantune" bench --device emu "$@" >"$tap_dir/said" 2>&1
}
unverified() {
	query 'SELECT count(*) FROM kernel WHERE verified = 0'
}

ok "a program keeps what it compiles" scan --type i32 --op sum --count 1000
ok "so does one of exclusive scans" scan --type f32 --op max --mode exclusive --count 1000
ok "and one of several variants" scan --type f32 --op sum --count 100000
kept=$(unverified)
ok "nothing of it is verified ($kept)" test "$kept" -ge 4
ok "scan again" scan --type i32 --op sum --count 1000
like "$(cat "$tap_dir/said")" "scantune has not verified" "which a plan's account tells"

ok "a dry look at one problem's succeeds" "$scantune" verify --device emu --type f32 --op max
is "$(grep -c ' right$' "$tap_dir/.output")" 1 "and finds it right"
like "$(cat "$tap_dir/.output")" "max f32 exclusive kept " "as what was kept"
is "$(unverified)" "$((kept - 1))" "the others are left"
ok "verify of all succeeds, though nothing was ever tuned" "$scantune" verify --device emu
is "$(grep -c ' right$' "$tap_dir/.output")" "$((kept - 1))" "and finds all right"
is "$(unverified)" 0 "they are marked as verified"
is "$(query "SELECT count(*) FROM kernels WHERE verified = 'by scantune'")" "$kept" "as the view kernels tells"
ok "scan again" scan --type i32 --op sum --count 1000
is "$(grep -c 'has not verified' "$tap_dir/said")" 0 "and a plan has nothing to remark any more"
is "$(grep -c compiled: "$tap_dir/said")" 0 "nor to compile"
like "$("$scantune" verify --device emu)" "there is no choice for this device" "verify again has nothing to do"

# A device that has no memory now says nothing of what was kept; one that a kernel has wrecked does.
query 'UPDATE kernel SET verified = 0'
kept_now=$(unverified)
fails "verify on a device without memory for a launch exits with 2" 2 env SCANRT_EMU_FAIL=cuLaunchKernelEx:4+:2 \
	"$scantune" verify --device emu
like "$(cat "$tap_dir/.output")" "launch: cuLaunchKernelEx: CUDA_ERROR_OUT_OF_MEMORY" "and says what has failed"
is "$(unverified)" "$kept_now" "what could not be tried stays, unverified"
ok "and is found right when there is memory" "$scantune" verify --device emu
is "$(unverified)" 0 "all of it"
query 'UPDATE kernel SET verified = 0'
fails "a launch that wrecks the device exits with 2, too" 2 env SCANRT_EMU_FAIL=cuLaunchKernelEx:8+:719 "$scantune" \
	verify --device emu --type i32 --op sum
is "$(query "SELECT count(*) FROM kernel WHERE problem = 'sum i32'")" 0 "and such an image is dropped"
ok "scan again" scan --type i32 --op sum --count 1000

# Strategy 2 is look-back.  What the compiler got wrong is found before anybody keeps it, or uses it.
ok "B131: the last scan has kept something" grep -q ': image .* is kept' "$tap_dir/said"
is "$(grep -c 'tested: it scans' "$tap_dir/said")" "$(grep -c ': image .* is kept' "$tap_dir/said")" \
	"B131: all that is kept has been tested"
SCANTUNE_TEST_MISCOMPILED=2 SCANRT_DB=$tap_dir/wrong.db
export SCANTUNE_TEST_MISCOMPILED
wrong() {
	"$SQLITE3" "$SCANRT_DB" "SELECT count(*) FROM kernel WHERE $1"
}
fails "B131: a program that asks for a variant that the compiler got wrong is told" 5 scan --type i32 --op sum \
	--variant lookback,block=96,items=4 --count 5000
like "$(cat "$tap_dir/said")" "the self-test found it wrong: of 963 elements the result 384 is another" \
	"B131: with the first wrong result"
ok "B131: and nothing is kept" test ! -e "$SCANRT_DB"
ok "B131: who asks for none gets another" scan --type i64 --op sum --count 1000000
ok "B131: which is kept" test "$(wrong "variant NOT LIKE 'lookback%'")" -gt 0
is "$(wrong "variant LIKE 'lookback%'")" 0 "B131: as nothing of the wrong kind is"
unset SCANTUNE_TEST_MISCOMPILED
SCANRT_DB=$db

# As many as a database keeps.
many=$tap_dir/many.db
for items in 4 8; do
	block=64
	while [ $block -le 608 ]; do
		SCANRT_DB=$many SCANRT_WRITE_CACHE=1 "$scantune" bench --device emu --type i32 --op sum --count 1000 \
			--mode inclusive,exclusive --variant "lookback,block=$block,items=$items" >/dev/null 2>&1
		block=$((block + 32))
	done
done
kept_there=$("$SQLITE3" "$many" 'SELECT count(*) FROM kernel WHERE verified = 0')
ok "a program keeps many variants of a problem ($kept_there)" test "$kept_there" -ge 66
ok "verify looks at all of them" "$scantune" verify --device emu --db "$many"
is "$("$SQLITE3" "$many" 'SELECT count(*) FROM kernel WHERE verified = 0')" 0 "and leaves none out"

query 'UPDATE kernel SET verified = 0'
ok "in JSON" "$scantune" verify --device emu --json
is "$(grep -cv '^{.*}$' "$tap_dir/.output")" 0 "there is nothing but JSON lines"
is "$(grep -c '"event":"kept".*"is_right":true' "$tap_dir/.output")" "$kept" "with one for each"
query 'UPDATE kernel SET verified = 0'
wrong=$(query "SELECT variant FROM kernel WHERE problem = 'sum i32'")
fails "what is wrong makes verify exit with 2" 2 env SCANTUNE_FAULT="wrong:$wrong" "$scantune" verify --device emu
like "$(cat "$tap_dir/.output")" "wrong: a scan of" "with what was wanted and seen"
is "$(query "SELECT count(*) FROM kernel WHERE problem = 'sum i32'")" 0 "it is dropped"
is "$(query 'SELECT count(*) FROM image WHERE hash NOT IN (SELECT image FROM kernel WHERE image IS NOT NULL)')" 0 \
	"with its machine code"
ok "scan again" scan --type i32 --op sum --count 1000
like "$(cat "$tap_dir/said")" "compiled: image" "a program then compiles it anew"

# Of other kernels, or of a problem that its name does not tell, it is nobody's.
query "UPDATE kernel SET verified = 0, problem = 'sum i32 initial' WHERE problem = 'sum i32'"
ok "verify leaves what a name does not tell alone" "$scantune" verify --device emu --type i32 --op sum
is "$(query "SELECT verified FROM kernel WHERE problem = 'sum i32 initial'")" 0 "as it was"
query "DELETE FROM kernel WHERE problem = 'sum i32 initial'"

# A file that may not be written to.
ok "something is tuned" tune
victim=$(query "SELECT v.text FROM choice c JOIN variant v ON v.id = c.variant WHERE c.count = 16384")
chmod 444 "$db"
looker=
if [ "$(id -u)" -eq 0 ]; then
	looker="setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent"
	chmod 755 "$tap_dir"
	# shellcheck disable=SC2086
	$looker sh -c "test -x '$scantune' -a -r '$db' -a ! -w '$db'" 2>/dev/null || looker=none
fi
if [ "$looker" = none ]; then
	skip 6 "the superuser may write to any file, and there is nobody to be"
else
	before=$(cksum <"$db")
	# shellcheck disable=SC2086
	ok "verify of a file that may only be read succeeds" $looker "$scantune" verify --device emu
	like "$(cat "$tap_dir/.output")" "is only looked at" "and says so"
	is "$(grep -c '^sum i32  *tile .* right$' "$tap_dir/.output")" 1 "it verifies choices"
	# shellcheck disable=SC2086
	fails "what is wrong is found" 2 env SCANTUNE_FAULT="wrong:$victim" $looker "$scantune" verify --device emu
	is "$(grep -c 'taken out' "$tap_dir/.output")" 0 "and left where it is"
	is "$(cksum <"$db")" "$before" "nothing has changed"
fi
chmod 600 "$db"
done_testing
