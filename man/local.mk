# SPDX-License-Identifier: MIT

dist_man_MANS += man/scanrt-variant.5
