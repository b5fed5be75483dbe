#!/bin/sh
# SPDX-License-Identifier: MIT
program=grid_lookahead count=2500 model=h200
. "$top_srcdir/tests/emu/on_emulated.sh"
