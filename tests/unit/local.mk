# SPDX-License-Identifier: MIT

check_PROGRAMS += tests/unit/tap
UNIT_TESTS += tests/unit/tap
