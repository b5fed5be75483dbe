# SPDX-License-Identifier: MIT
#
# Each tier has a folder, with a local.mk that adds to its list and, for programs, to check_PROGRAMS:
#   check_PROGRAMS += tests/unit/strbuf
#   UNIT_TESTS += tests/unit/strbuf
# The source is tests/unit/strbuf.c unless tests_unit_strbuf_SOURCES says otherwise.  Shell tests end in .sh, begin
# with `. "$top_srcdir/tests/tap.sh"`, and go to EXTRA_DIST too.

check_LTLIBRARIES += tests/libtap.la
tests_libtap_la_SOURCES = tests/folder.c tests/folder.h tests/tap.c tests/tap.h
EXTRA_DIST += tests/run.sh tests/tap.sh

UNIT_TESTS =
FAKE_TESTS =
RTC_TESTS =
DB_TESTS =
CLI_TESTS =
API_TESTS =
GPU_TESTS =
EMU_TESTS =
LONG_TESTS =

include tests/unit/local.mk
include tests/fake/local.mk
include tests/rtc/local.mk
include tests/db/local.mk
include tests/cli/local.mk
include tests/api/local.mk
include tests/gpu/local.mk
include tests/emu/local.mk
include tests/long/local.mk

TESTS = $(UNIT_TESTS) $(FAKE_TESTS) $(RTC_TESTS) $(DB_TESTS) $(CLI_TESTS) $(API_TESTS) $(GPU_TESTS) $(EMU_TESTS) \
	$(LONG_TESTS)

TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(SHELL)

# Tests see nothing of the user's databases, pins and logs, whoever runs them.
AM_TESTS_ENVIRONMENT = \
	unset SCANRT_DB SCANRT_VARIANT SCANRT_LOG SCANRT_WRITE_CACHE XDG_CACHE_HOME; \
	HOME='$(abs_top_builddir)/tests/home'; export HOME; mkdir -p "$$HOME"; \
	top_srcdir='$(abs_top_srcdir)'; top_builddir='$(abs_top_builddir)'; export top_srcdir top_builddir; \
	CC='$(CC)'; CXX='$(CXX)'; MANDOC='$(MANDOC)'; SQLITE3='$(SQLITE3)'; PKG_CONFIG='$(PKG_CONFIG)'; \
	MAKE='$(MAKE)'; \
	CUDA_DIR='$(CUDA_DIR)'; NVRTC_DIR='$(NVRTC_DIR)'; SANITIZER_CFLAGS='$(SANITIZER_CFLAGS)'; \
	export CC CXX MANDOC SQLITE3 PKG_CONFIG MAKE CUDA_DIR NVRTC_DIR SANITIZER_CFLAGS; \
	LSAN_OPTIONS="suppressions=$(abs_top_srcdir)/tests/lsan.supp:print_suppressions=0"; export LSAN_OPTIONS;
EXTRA_DIST += tests/lsan.supp

# Tests of the tier long skip themselves unless they are asked for.
check-long: all
	SCANRT_LONG=1 $(MAKE) $(AM_MAKEFLAGS) check TESTS='$$(LONG_TESTS) $$(RTC_TESTS)'
check-unit: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$$(UNIT_TESTS)'
check-fake: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$$(FAKE_TESTS)'
check-rtc: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$$(RTC_TESTS)'
check-db: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$$(DB_TESTS)'
check-cli: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$$(CLI_TESTS)'
check-api: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$$(API_TESTS)'
check-gpu: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$$(GPU_TESTS)'
check-emu: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$$(EMU_TESTS)'
.PHONY: check-long check-unit check-fake check-rtc check-db check-cli check-api check-gpu check-emu

clean-local:
	rm -rf tests/home

# One test, and no more built than it needs: make try T=tests/unit/tap, or T=tests/emu/order.sh.
try: all $(check_LTLIBRARIES)
	@needed='$(T)'; case $$needed in \
	*.sh) needed=`sed -n -e 's,^program=\([a-z0-9_]*\).*,tests/gpu/\1,p' \
		-e 's,.*top_builddir/\(tests/[a-z]*/[a-z0-9_][a-z0-9_]*\).*,\1,p' '$(srcdir)/$(T)'` ;; \
	esac; test -z "$$needed" || $(MAKE) $(AM_MAKEFLAGS) -s $$needed
	@$(AM_TESTS_ENVIRONMENT) path='./$(T)'; test -x "$$path" || path='$(srcdir)/$(T)'; \
	$(SHELL) '$(srcdir)/tests/run.sh' "$$path"
.PHONY: try

# The same programs under prove(1), for continuous integration: make prove PROVE_TESTS='$(UNIT_TESTS)'.
FAST_TESTS = $(UNIT_TESTS) $(FAKE_TESTS) $(DB_TESTS) $(CLI_TESTS) $(API_TESTS)
# What is worth its time under the sanitizers.
SANITIZE_TESTS = $(FAST_TESTS) $(emu_programs) $(emu_machine_programs) tests/emu/traffic tests/emu/plans.sh
PROVE_TESTS = $(TESTS)
PROVE_FLAGS = --timer
prove: all $(check_LTLIBRARIES) $(check_PROGRAMS)
	@$(AM_TESTS_ENVIRONMENT) \
	paths=; for test in $(PROVE_TESTS); do \
		if test -f "$$test"; then paths="$$paths ./$$test"; else paths="$$paths $(srcdir)/$$test"; fi; \
	done; prove $(PROVE_FLAGS) --exec '$(SHELL) $(srcdir)/tests/run.sh' $$paths
.PHONY: prove
