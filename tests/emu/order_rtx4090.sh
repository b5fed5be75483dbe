#!/bin/sh
# SPDX-License-Identifier: MIT
program=order count=60000 model=rtx4090
. "$top_srcdir/tests/emu/on_emulated.sh"
