# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# To be sourced after tap.sh: scantune on the quick device, and a database of the test's own.
scantune=$top_builddir/scantune
db=$tap_dir/tune.db
SCANRT_LIBCUDA=$(cd "$top_builddir" && pwd)/tests/cli/.libs/libscanrt-emu-quick.so
SCANRT_LIBNVRTC=$(cd "$top_builddir" && pwd)/tests/cli/.libs/libquicknvrtc.so
SCANRT_EMU_MODEL=tiny
# The counts of a GPU: without kernels to interpret, the device is fast enough.
SCANTUNE_PACE=1e9
# A busy machine or a sanitizer makes no variant hang; what is planted to hang is waited for as long.
SCANTUNE_PATIENCE=15
HOME=$tap_dir/home
export SCANRT_LIBCUDA SCANRT_LIBNVRTC SCANRT_EMU_MODEL SCANTUNE_PACE SCANTUNE_PATIENCE HOME
mkdir -p "$HOME"
[ -n "$SQLITE3" ] || skip_all "no sqlite3 to look into the database with"

# Two size classes of one problem: a run of a second.
tune() {
	"$scantune" --device emu --quick --db "$db" --type i32 --op sum --count 1024,16384 "$@"
}

query() {
	"$SQLITE3" "$db" "$1"
}
