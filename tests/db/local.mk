# SPDX-License-Identifier: MIT
#
# The database, without driver or compiler.
db_tests = \
	tests/db/choices \
	tests/db/compress \
	tests/db/contents \
	tests/db/damage \
	tests/db/files \
	tests/db/images \
	tests/db/lookup_time \
	tests/db/migrate \
	tests/db/paths \
	tests/db/prune \
	tests/db/publish \
	tests/db/resume \
	tests/db/setuid \
	tests/db/similar \
	tests/db/views \
	tests/db/writers

check_PROGRAMS += $(db_tests)
DB_TESTS += $(db_tests) tests/db/manual.sh
EXTRA_DIST += tests/db/manual.sh tests/db/format-1.sql tests/db/format-2.sql tests/db/format-3.sql tests/db/format-4.sql

check_LTLIBRARIES += tests/db/libfixture.la
tests_db_libfixture_la_SOURCES = tests/db/fixture.c tests/db/fixture.h

db_test_libraries = tests/db/libfixture.la $(LDADD)
tests_db_choices_LDADD = $(db_test_libraries)
tests_db_compress_LDADD = $(db_test_libraries)
tests_db_contents_LDADD = $(db_test_libraries)
tests_db_damage_LDADD = $(db_test_libraries)
tests_db_files_LDADD = $(db_test_libraries)
tests_db_images_LDADD = $(db_test_libraries)
tests_db_lookup_time_LDADD = $(db_test_libraries)
tests_db_migrate_LDADD = $(db_test_libraries)
tests_db_paths_LDADD = $(db_test_libraries)
tests_db_prune_LDADD = $(db_test_libraries)
tests_db_publish_LDADD = $(db_test_libraries)
tests_db_resume_LDADD = $(db_test_libraries)
tests_db_setuid_LDADD = $(db_test_libraries)
tests_db_similar_LDADD = $(db_test_libraries)
tests_db_views_LDADD = $(db_test_libraries)
tests_db_writers_LDADD = $(db_test_libraries)
