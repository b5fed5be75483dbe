#!/bin/sh
# SPDX-License-Identifier: MIT
program=images count=20000
. "$top_srcdir/tests/emu/on_emulated.sh"
