# SPDX-License-Identifier: MIT

dist_man_MANS += man/scanrt-db.5 man/scanrt-problem.5 man/scantune.1
dist_man_MANS += man/scanrt-emu.7 man/scanrt-kernels.7 man/scanrt-tuning.7 man/scanrt-variant.5
dist_man_MANS += man/libscanrt.3 man/libscanrt.7

# Each function's name finds the page that describes it.
install-data-hook:
	cd '$(DESTDIR)$(man3dir)' && sed -n 's/^\.Fn \(scanrt_[a-z_]*\) .*/\1/p' '$(abs_top_srcdir)/man/libscanrt.3' | \
		while read -r name; do rm -f "$$name.3" && $(LN_S) libscanrt.3 "$$name.3"; done
uninstall-hook:
	cd '$(DESTDIR)$(man3dir)' && rm -f scanrt_*.3
