# SPDX-License-Identifier: MIT
#
# Most of these tests run scantune on a device that is quick because it knows what a scan is: the emulated device's
# driver side over quick_machine.c, and quick_nvrtc.c for a compiler.
check_LTLIBRARIES += tests/cli/libscanrt-emu-quick.la tests/cli/libquicknvrtc.la tests/cli/libquicknvml.la
tests_cli_libscanrt_emu_quick_la_SOURCES = tests/cli/quick_machine.c tests/cli/quick_machine.h \
	tests/cli/quick_memory.c \
	$(EMU_DRIVER_SOURCES) \
	lib/problem.c lib/problem_tables.c lib/status.c lib/strbuf.c lib/user.c lib/user_include.c \
	lib/user_text.c lib/versioned.c \
	tuner/data.c tuner/half.c tuner/reference.c
tests_cli_libscanrt_emu_quick_la_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir)/lib $(CUDA_CPPFLAGS)
tests_cli_libscanrt_emu_quick_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere \
	-export-symbols-regex '^(cu[A-Z]|scanrtEmu)'
tests_cli_libquicknvml_la_SOURCES = tests/cli/quick_nvml.c
tests_cli_libquicknvml_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere
tests_cli_libquicknvrtc_la_SOURCES = tests/cli/quick_nvrtc.c
tests_cli_libquicknvrtc_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere

cli_scripts = tests/cli/compare.sh tests/cli/usage.sh tests/cli/tune.sh tests/cli/faults.sh tests/cli/kill.sh \
	tests/cli/emulated.sh \
	tests/cli/commands.sh tests/cli/completion.sh tests/cli/explore.sh tests/cli/kept.sh tests/cli/kills.sh \
	tests/cli/reproducible.sh tests/cli/system.sh tests/cli/vendor.sh
CLI_TESTS += $(cli_scripts)
EXTRA_DIST += $(cli_scripts) tests/cli/quick.sh

cli_programs = \
	tests/cli/knockout \
	tests/cli/parts \
	tests/cli/problem_file \
	tests/cli/samples \
	tests/cli/stale \
	tests/cli/twins
check_PROGRAMS += $(cli_programs) tests/cli/scantune_here
tests_cli_scantune_here_SOURCES = $(scantune_SOURCES) tests/cli/system_paths.c
tests_cli_scantune_here_LDADD = $(scantune_LDADD)
CLI_TESTS += $(cli_programs)
tests_cli_twins_SOURCES = tests/cli/twins.c tuner/data.c tuner/half.c tuner/reference.c tuner/space.c tuner/twin.c
tests_cli_twins_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
tests_cli_problem_file_SOURCES = tests/cli/problem_file.c tuner/data.c tuner/described.c tuner/half.c tuner/layout.c \
	tuner/problem_file.c tuner/reference.c tuner/values.c
tests_cli_problem_file_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
tests_cli_knockout_SOURCES = tests/cli/knockout.c tuner/knockout.c tuner/data.c tuner/decision.c tuner/half.c \
	tuner/reference.c tuner/statistics.c
tests_cli_knockout_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
tests_cli_stale_LDADD = tests/db/libfixture.la $(LDADD)
tests_cli_samples_SOURCES = tests/cli/samples.c tuner/fault.c tuner/measure.c tuner/names.c
tests_cli_samples_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
tests_cli_parts_SOURCES = tests/cli/parts.c tuner/classes.c tuner/data.c tuner/half.c tuner/json.c tuner/reference.c \
	tuner/statistics.c tuner/wire.c
tests_cli_parts_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
