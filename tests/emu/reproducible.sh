#!/bin/sh
# SPDX-License-Identifier: MIT
program=reproducible count=20000
. "$top_srcdir/tests/emu/on_emulated.sh"
