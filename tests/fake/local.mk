# SPDX-License-Identifier: MIT
#
# The scripted driver and compiler are modules that the library loads by path; -rpath makes libtool build them shared.
check_LTLIBRARIES += tests/fake/libfakecuda.la tests/fake/libfakenvrtc.la tests/fake/libfake.la
fake_ldflags = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_fake_libfakecuda_la_SOURCES = tests/fake/libcuda.c tests/fake/libcuda.h tests/fake/libcuda_module.c \
	tests/fake/fake.h
tests_fake_libfakecuda_la_LDFLAGS = $(fake_ldflags)
tests_fake_libfakenvrtc_la_SOURCES = tests/fake/libnvrtc.c tests/fake/fake.h
tests_fake_libfakenvrtc_la_LDFLAGS = $(fake_ldflags)
tests_fake_libfake_la_SOURCES = tests/fake/fake.c tests/fake/fake.h tests/fake/look.c tests/fake/look.h \
	tests/fake/planning.c tests/fake/planning.h

fake_ldadd = tests/fake/libfake.la $(LDADD)

fake_programs = tests/fake/adversity tests/fake/compile tests/fake/context tests/fake/each_call tests/fake/execute \
	tests/fake/keep tests/fake/loader tests/fake/plan tests/fake/pool tests/fake/scan tests/fake/tuned \
	tests/fake/vendor
check_PROGRAMS += $(fake_programs)
FAKE_TESTS += $(fake_programs)
tests_fake_adversity_LDADD = $(fake_ldadd)
tests_fake_compile_LDADD = $(fake_ldadd)
tests_fake_context_LDADD = $(fake_ldadd)
tests_fake_each_call_LDADD = $(fake_ldadd)
tests_fake_execute_LDADD = $(fake_ldadd)
tests_fake_keep_LDADD = $(fake_ldadd)
tests_fake_loader_LDADD = $(fake_ldadd)
tests_fake_plan_LDADD = $(fake_ldadd)
tests_fake_pool_LDADD = $(fake_ldadd)
tests_fake_scan_LDADD = $(fake_ldadd)
tests_fake_tuned_LDADD = $(fake_ldadd)
tests_fake_vendor_LDADD = $(fake_ldadd)
# With places of its own for the system's and the vendor's files, below where the program is.
tests_fake_vendor_SOURCES = tests/fake/vendor.c db/paths.c
tests_fake_vendor_CPPFLAGS = $(AM_CPPFLAGS) -USRT_DATADIR -USRT_LOCALSTATEDIR -DSRT_DATADIR='"share"' \
	-DSRT_LOCALSTATEDIR='"var"'
