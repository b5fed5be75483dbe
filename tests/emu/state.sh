#!/bin/sh
# SPDX-License-Identifier: MIT
program=state count=5000
. "$top_srcdir/tests/emu/on_emulated.sh"
