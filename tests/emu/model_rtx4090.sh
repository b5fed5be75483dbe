#!/bin/sh
# SPDX-License-Identifier: MIT
program=grid_lookahead count=2500 model=rtx4090
. "$top_srcdir/tests/emu/on_emulated.sh"
