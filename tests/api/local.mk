# SPDX-License-Identifier: MIT
api_scripts = \
	tests/api/faults.sh \
	tests/api/header.sh \
	tests/api/install.sh \
	tests/api/layering.sh \
	tests/api/man.sh \
	tests/api/style.sh \
	tests/api/symbols.sh
API_TESTS += $(api_scripts)
EXTRA_DIST += $(api_scripts)
