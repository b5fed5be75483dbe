#!/bin/sh
# SPDX-License-Identifier: MIT
program=self_test count=5000 model=h200
. "$top_srcdir/tests/emu/on_emulated.sh"
