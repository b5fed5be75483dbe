#!/bin/sh
# SPDX-License-Identifier: MIT
#
# scanrt.h is all that a user includes: it stands alone, in C11 and in C++17, for a strict compiler.
. "${top_srcdir:-.}/tests/tap.sh"

cat >"$tap_dir/user.c" <<'END'
#include <scanrt.h>
#include <scanrt.h>
struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
struct scanrt_context_options context_options = SCANRT_CONTEXT_OPTIONS_INIT;
struct scanrt_plan_options plan_options = SCANRT_PLAN_OPTIONS_INIT;
struct scanrt_plan_description description = SCANRT_PLAN_DESCRIPTION_INIT;
END
cp "$tap_dir/user.c" "$tap_dir/user.cc"
strict="-Wall -Wextra -Werror -pedantic -pedantic-errors -I$top_srcdir/lib"

# shellcheck disable=SC2086
ok "scanrt.h alone compiles as strict C11" $CC -std=c11 $strict -fsyntax-only "$tap_dir/user.c"
if [ -n "$CXX" ]; then
	# shellcheck disable=SC2086
	ok "scanrt.h alone compiles as strict C++17" $CXX -std=c++17 $strict -fsyntax-only "$tap_dir/user.cc"
else
	skip 1 "no C++ compiler"
fi
included=$(sed -n 's/^#include //p' "$top_srcdir/lib/scanrt.h" | tr '\n' ' ')
is "$included" "<stddef.h> <stdint.h> " "scanrt.h includes no header beyond C's own integers"
done_testing
