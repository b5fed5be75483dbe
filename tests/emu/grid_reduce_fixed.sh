#!/bin/sh
# SPDX-License-Identifier: MIT
program=grid_reduce_fixed count=5000
. "$top_srcdir/tests/emu/on_emulated.sh"
