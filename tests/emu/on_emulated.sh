# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# Runs a program of the tier gpu on the emulated device, to be sourced:
#   program=grid_block count=5000 model=t4; . "$top_srcdir/tests/emu/on_emulated.sh"
# count bounds every scan, model may be left out.  The device is told to be there, so that a driver that does not load
# is a failure; only a build that found no NVRTC skips.
if [ -z "${NVRTC_DIR-unset}" ]; then
	echo "1..0 # SKIP no NVRTC"
	exit 0
fi
SCANRT_DRIVER=emu
SCANRT_LIBCUDA=$top_builddir/.libs/libscanrt-emu.so
SCANRT_EMU_LOG=stderr
SCANRT_EMU_MODEL=${model:-}
SCANRT_REQUIRE_GPU=1
SCANRT_TEST_MAX_COUNT=${SCANRT_TEST_MAX_COUNT:-$count}
SCANRT_TEST_TIMEOUT=${SCANRT_TEST_TIMEOUT:-600}
export SCANRT_DRIVER SCANRT_LIBCUDA SCANRT_EMU_LOG SCANRT_EMU_MODEL SCANRT_REQUIRE_GPU
export SCANRT_TEST_MAX_COUNT SCANRT_TEST_TIMEOUT
exec "$top_builddir/tests/gpu/$program"
