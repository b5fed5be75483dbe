# SPDX-License-Identifier: MIT

check_PROGRAMS += tests/unit/tap
UNIT_TESTS += tests/unit/tap

check_PROGRAMS += tests/unit/problem tests/unit/recipe tests/unit/status tests/unit/strbuf tests/unit/variant
UNIT_TESTS += tests/unit/problem tests/unit/recipe tests/unit/status tests/unit/strbuf tests/unit/variant

check_PROGRAMS += tests/unit/include tests/unit/manual
UNIT_TESTS += tests/unit/include tests/unit/manual

check_PROGRAMS += tests/unit/reference
UNIT_TESTS += tests/unit/reference
tests_unit_reference_LDADD = tests/libdevice.la $(LDADD)

UNIT_TESTS += tests/unit/embed.sh
EXTRA_DIST += tests/unit/embed.sh

check_PROGRAMS += tests/unit/heuristic tests/unit/launches tests/unit/measured
UNIT_TESTS += tests/unit/heuristic tests/unit/launches tests/unit/measured
