# SPDX-License-Identifier: MIT
#
# The library.  libscanrt-core.la holds lib/, db/ and the embedded kernels, with hidden symbols; the shared library,
# scantune and the tests are linked from it.
include_HEADERS += lib/scanrt.h
lib_LTLIBRARIES += libscanrt.la
noinst_LTLIBRARIES += libscanrt-core.la

# db/local.mk and kernels/local.mk add to these two.
libscanrt_core_la_SOURCES = \
	lib/build_id.c lib/build_id.h \
	lib/circuit.def \
	lib/image.h lib/image_build.c lib/image_recipe.c \
	lib/loadable.c lib/loadable.h \
	lib/problem.c lib/problem.h lib/problem_tables.c \
	lib/recipe.h \
	lib/rtc.c lib/rtc.def lib/rtc.h \
	lib/rtc_library.c lib/rtc_library.h \
	lib/scanrt.h \
	lib/source.h \
	lib/status.c lib/status.h \
	lib/strategy.c lib/strategy.def lib/strategy.h lib/strategy_launches.c \
	lib/strbuf.c lib/strbuf.h \
	lib/user.c lib/user.h lib/user_include.c lib/user_include.h lib/user_text.c lib/user_text.h \
	lib/user_undefined.c lib/user_undefined.h \
	lib/variant.c lib/variant.h \
	lib/variant_limits.c lib/variant_workspace.c \
	lib/versioned.c lib/versioned.h \
	lib/warm.c lib/warm.h
nodist_libscanrt_core_la_SOURCES =
libscanrt_core_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libscanrt_core_la_LIBADD = $(SQLITE_LIBS) $(ZSTD_LIBS)

libscanrt_la_SOURCES =
libscanrt_la_LIBADD = libscanrt-core.la
# now: a first plan else looks up each function that it calls, which takes it as long as a page fault.
libscanrt_la_LDFLAGS = $(AM_LDFLAGS) $(NO_UNDEFINED) -Wl,-z,now -version-info 0:0:0 \
	-Wl,--version-script=$(srcdir)/lib/libscanrt.map
EXTRA_libscanrt_la_DEPENDENCIES = lib/libscanrt.map
EXTRA_DIST += lib/embed_text.sh lib/libscanrt.map

pkgconfig_DATA += lib/scanrt.pc

# What needs a device: the driver, kernels, plans.
libscanrt_core_la_SOURCES += \
	lib/ahead.c lib/ahead.h \
	lib/catalog.c lib/catalog.h \
	lib/classes.c lib/classes.h \
	lib/context.c lib/context.h \
	lib/cover.c lib/cover.h \
	lib/describe.c \
	lib/device.c lib/device.h \
	lib/driver.c lib/driver.def lib/driver.h \
	lib/execute.c \
	lib/fetch.c lib/fetch.h \
	lib/heuristic.c lib/heuristic.h lib/heuristic_lookahead.c \
	lib/heuristic_order.c lib/heuristic_parts.c lib/heuristic_parts.h lib/heuristic_totals.c \
	lib/heuristic_wide.c lib/heuristic_wide.h \
	lib/keep.c lib/keep.h \
	lib/kernel.c lib/kernel.h lib/kernel_launch.c \
	lib/log.c lib/log.h \
	lib/operator_check.c lib/operator_check.h lib/operator_words.c \
	lib/plan.c lib/plan.h lib/plan_check.c \
	lib/pool.c lib/pool.h \
	lib/replay.c lib/replay.h \
	lib/resolve.c lib/resolve.h \
	lib/self_test.c lib/self_test.h \
	lib/scan.c
