#!/bin/sh
# SPDX-License-Identifier: MIT
program=grid_lookahead count=2500 model=t4
. "$top_srcdir/tests/emu/on_emulated.sh"
