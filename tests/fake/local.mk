# SPDX-License-Identifier: MIT
#
# The scripted driver and compiler are modules that the library loads by path; -rpath makes libtool build them shared.
check_LTLIBRARIES += tests/fake/libfakecuda.la tests/fake/libfakenvrtc.la tests/fake/libfake.la
fake_ldflags = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_fake_libfakecuda_la_SOURCES = tests/fake/libcuda.c tests/fake/fake.h
tests_fake_libfakecuda_la_LDFLAGS = $(fake_ldflags)
tests_fake_libfakenvrtc_la_SOURCES = tests/fake/libnvrtc.c tests/fake/fake.h
tests_fake_libfakenvrtc_la_LDFLAGS = $(fake_ldflags)
tests_fake_libfake_la_SOURCES = tests/fake/fake.c tests/fake/fake.h

fake_ldadd = tests/fake/libfake.la $(LDADD)

check_PROGRAMS += tests/fake/loader
FAKE_TESTS += tests/fake/loader
tests_fake_loader_LDADD = $(fake_ldadd)
