#!/bin/sh
# SPDX-License-Identifier: MIT
program=monoids count=3001
. "$top_srcdir/tests/emu/on_emulated.sh"
