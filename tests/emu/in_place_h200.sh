#!/bin/sh
# SPDX-License-Identifier: MIT
SCANRT_EMU_MODEL=h200
export SCANRT_EMU_MODEL
exec "$top_builddir/tests/emu/in_place"
