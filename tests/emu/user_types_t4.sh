#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Elements of 32 bytes where the hardware copies nothing.
SCANRT_TEST_SIZE=32
export SCANRT_TEST_SIZE
program=user_types count=3000 model=t4
. "$top_srcdir/tests/emu/on_emulated.sh"
