#!/bin/sh
# SPDX-License-Identifier: MIT
program=epochs count=20000
. "$top_srcdir/tests/emu/on_emulated.sh"
