#!/bin/sh
# SPDX-License-Identifier: MIT
program=user_types count=3000
. "$top_srcdir/tests/emu/on_emulated.sh"
