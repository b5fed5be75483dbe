# SPDX-License-Identifier: MIT

API_TESTS += tests/api/header.sh
EXTRA_DIST += tests/api/header.sh
