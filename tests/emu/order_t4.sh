#!/bin/sh
# SPDX-License-Identifier: MIT
program=order count=60000 model=t4
. "$top_srcdir/tests/emu/on_emulated.sh"
