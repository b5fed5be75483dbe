#!/bin/sh
# SPDX-License-Identifier: MIT
program=alignment count=5003
. "$top_srcdir/tests/emu/on_emulated.sh"
