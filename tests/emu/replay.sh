#!/bin/sh
# SPDX-License-Identifier: MIT
program=replay count=2000
. "$top_srcdir/tests/emu/on_emulated.sh"
