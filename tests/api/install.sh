#!/bin/sh
# SPDX-License-Identifier: MIT
#
# An installed tree is all that a user needs: the examples build against it with pkg-config and start.
. "${top_srcdir:-.}/tests/tap.sh"

root=$tap_dir/root
# The outer make's flags, with its TESTS=, are not for this one.
unset MAKEFLAGS MFLAGS MAKELEVEL
ok "make install puts everything below DESTDIR" "$MAKE" -C "$top_builddir" install DESTDIR="$root"
pc=$(find "$root" -name scanrt.pc)
ok "scanrt.pc is installed" test -f "$pc"
is "$(find "$root" -path '*/include/*' -type f -exec basename {} \; | sort | tr '\n' ' ')" "scanrt.h " \
	"scanrt.h is the only installed header"
is_empty "$(find "$root" -name '*.a')" "no static library with the internals is installed"

if [ -f "$top_builddir/tuner/defaults.db" ]; then
	vendor=$(find "$root" -path '*/scanrt/defaults.db')
	ok "the vendor's database is installed" test -f "$vendor"
	is "$(stat -c %a "$vendor")" 644 "for all to read"
	like "$("$top_builddir/scantune" list --db "$vendor")" "NVIDIA H200" "and has an H200's choices"
else
	skip 3 "a cross build without SCANTUNE_FOR_BUILD"
fi

PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
flags=$($PKG_CONFIG --cflags --libs scanrt)
version=$(sed -n 's/^AC_INIT(\[scanrt\], \[\(.*\)\])$/\1/p' "$top_srcdir/configure.ac")
is "$($PKG_CONFIG --modversion scanrt)" "$version" "pkg-config tells the version of configure.ac"

LD_LIBRARY_PATH=$(dirname "$(find "$root" -name libscanrt.so)")
export LD_LIBRARY_PATH
for example in emulated_test line_index prefix_sum; do
	# shellcheck disable=SC2086
	ok "$example builds with pkg-config alone" $CC -std=c11 -D_POSIX_C_SOURCE=200809L $SANITIZER_CFLAGS \
		-I"$top_srcdir/examples" "$top_srcdir/examples/$example.c" -o "$tap_dir/$example" $flags -ldl
done
fails "line_index without a file tells its usage" 2 "$tap_dir/line_index"
like "$(cat "$tap_dir/.output")" "usage: line_index FILE" "the usage names the argument"
like "$(SCANRT_LIBCUDA=/nonexistent "$tap_dir/prefix_sum" 2>&1)" "no CUDA driver" \
	"prefix_sum without a driver says so"

# On the emulated device, they run.
emulator=$(find "$root" -name libscanrt-emu.so)
ok "the emulated device is installed" test -f "$emulator"
if [ -n "${NVRTC_DIR-}" ]; then
	SCANRT_DRIVER=emu SCANRT_DB=off
	export SCANRT_DRIVER SCANRT_DB
	unset SCANRT_LIBCUDA
	is "$("$tap_dir/prefix_sum" 2>&1)" "3 4 8 9 14 23 25 31 " "prefix_sum prints the sums that README.md promises"
	like "$("$tap_dir/line_index" "$top_srcdir/COPYING" 2>&1)" \
		"$(wc -l <"$top_srcdir/COPYING" | tr -d ' ') lines end in $(wc -c <"$top_srcdir/COPYING" |
			tr -d ' ') bytes" \
		"line_index numbers the lines of COPYING"
	ok "emulated_test passes" "$tap_dir/emulated_test"
else
	skip 3 "no NVRTC"
fi
sed -n '/^```c$/,/^```$/p' "$top_srcdir/README.md" | grep -v '^```' >"$tap_dir/readme.c"
is_empty "$(grep -v 'SPDX' "$top_srcdir/examples/prefix_sum.c" | diff - "$tap_dir/readme.c")" \
	"the program in README.md is examples/prefix_sum.c"
for word in help --help -h; do
	like "$("$top_srcdir/quickstart" $word 2>&1)" "quickstart check  " \
		"quickstart $word tells what it does, and does nothing"
done
fails "quickstart with a word that it does not know is a usage error" 1 "$top_srcdir/quickstart" tset
like "$(cat "$tap_dir/.output")" "usage: ./quickstart" "and its usage is shown"
done_testing
