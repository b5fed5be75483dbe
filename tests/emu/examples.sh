#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The examples of user types and operators on the emulated device: each checks its own results.
. "$top_srcdir/tests/tap.sh"
[ -n "${NVRTC_DIR-unset}" ] || skip_all "no NVRTC"
SCANRT_DRIVER=emu
SCANRT_LIBCUDA=$top_builddir/.libs/libscanrt-emu.so
SCANRT_DB=off
export SCANRT_DRIVER SCANRT_LIBCUDA SCANRT_DB
for name in dual_numbers running_statistics selective_scan state_machine string_hash; do
	seen=$("$top_builddir/examples/$name" 2>&1) && status=0 || status=$?
	is "$status" 0 "examples/$name finds its results right: $seen"
done
done_testing
