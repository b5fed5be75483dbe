# SPDX-License-Identifier: MIT
long_programs = tests/long/counts tests/long/soak
check_PROGRAMS += $(long_programs)
LONG_TESTS += $(long_programs)
tests_long_counts_LDADD = $(device_libraries)
tests_long_soak_SOURCES = tests/long/soak.c tests/long/draw.c tests/long/draw.h
tests_long_soak_LDADD = $(device_libraries)
