#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The real kernels, from scantune to the library, on the emulated device.
. "$top_srcdir/tests/tap.sh"
scantune=$top_builddir/scantune
db=$tap_dir/tune.db
HOME=$tap_dir/home
export HOME
unset SCANRT_LIBCUDA SCANRT_LIBNVRTC
mkdir -p "$HOME"
[ -n "$SQLITE3" ] || skip_all "no sqlite3 to look into the database with"
"$scantune" --device emu --dry-run --type i32 --op sum >/dev/null 2>&1 || skip_all "no emulated device"
[ -n "$NVRTC_DIR" ] || skip_all "no NVRTC"

ok "a quick run of one problem on the emulated device completes" "$scantune" --device emu --quick --db "$db" --type \
	i32 \
	--op sum
diag "$(tail -1 "$tap_dir/.output")"
is "$("$SQLITE3" "$db" "SELECT count(*) FROM trial WHERE status IN ('wrong', 'crash', 'timeout', 'launch')")" 0 \
	"no variant fails"
is "$("$SQLITE3" "$db" 'SELECT count(*) FROM choice')" \
	"$("$scantune" --device emu --dry-run --json --db "$db" --type i32 --op sum | grep -c '"event":"plan"')" \
	"every class has a choice"
ok "a recheck of them completes" "$scantune" recheck --device emu --db "$db"
ok "and needs no compiler" env SCANRT_LIBNVRTC=/nonexistent "$scantune" recheck --device emu --db "$db"
ok "bench runs what was tuned" "$scantune" bench --device emu --db "$db" --type i32 --op sum --count 1000,5000
is "$(grep -c ' tuned ' "$tap_dir/.output")" 2 "and says so"
SCANRT_LIBNVRTC=/nonexistent
export SCANRT_LIBNVRTC
ok "and without a compiler too" "$scantune" bench --device emu --db "$db" --type i32 --op sum --count 1000,5000
ok "bench counts a launch on the emulated device" "$scantune" bench --device emu --db "$db" --type i32 --op sum \
	--count 1000 --counters
like "$(cat "$tap_dir/.output")" "global_store_words" "and names what it counts"
done_testing
