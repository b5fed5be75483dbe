# SPDX-License-Identifier: MIT
#
# The database, without driver or compiler.
db_tests = \
	tests/db/lookup_time

check_PROGRAMS += $(db_tests)
DB_TESTS += $(db_tests)

check_LTLIBRARIES += tests/db/libfixture.la
tests_db_libfixture_la_SOURCES = tests/db/fixture.c tests/db/fixture.h

db_test_libraries = tests/db/libfixture.la $(LDADD)
tests_db_lookup_time_LDADD = $(db_test_libraries)
