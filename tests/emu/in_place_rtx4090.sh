#!/bin/sh
# SPDX-License-Identifier: MIT
SCANRT_EMU_MODEL=rtx4090
export SCANRT_EMU_MODEL
exec "$top_builddir/tests/emu/in_place"
