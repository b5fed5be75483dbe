#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What was tuned on one emulated device is for that device only: another model, or another number of SMs, is another
# device, and an emulated one has no relatives.
. "$top_srcdir/tests/tap.sh"
[ -n "$NVRTC_DIR" ] || skip_all "no NVRTC"
scantune=$top_builddir/scantune
SCANRT_DB=$tap_dir/tune.db
export SCANRT_DB
unset SCANRT_LIBCUDA SCANRT_EMU_MODEL SCANRT_EMU_SMS

# Origin of a scan of 1000 elements on the device that the environment describes.
origin() {
	"$scantune" bench --device emu --type i32 --op sum --count 1000 --json >"$tap_dir/bench" 2>"$tap_dir/errors"
	sed -n 's/.*"origin":"\([a-z]*\)".*/\1/p' "$tap_dir/bench"
	cat "$tap_dir/errors"
}

is "$(origin)" default "without a database the default is used"
ok "one problem is tuned" "$scantune" --device emu --quick --type i32 --op sum --count 1000
is "$(origin)" tuned "then it is used as tuned"
is "$(SCANRT_EMU_MEMORY=512M origin)" tuned "the size of the memory makes no difference"
is "$(SCANRT_EMU_SMS=8 origin)" default "with twice the SMs it is another device"
for model in h200 rtx4090 t4; do
	is "$(SCANRT_EMU_MODEL=$model origin)" default "and so is a $model"
done
done_testing
