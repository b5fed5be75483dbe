/* SPDX-License-Identifier: MIT
 *
 * A problem's types and operator without a policy: for the programs beside the scans, which judge them and the operator
 * and therefore share nothing with them but what the caller has stated.
 */
#ifndef SCAN_BARE_PROBLEM_CUH
#define SCAN_BARE_PROBLEM_CUH

#include "abi.h"
#include "monoids.cuh"
#include "operators.cuh"
#include "types.cuh"
#include "user.cuh"

#define SCAN_PASTE(a, b) a##b
#define SCAN_OPERATOR_TYPE(name) SCAN_PASTE(op_, name) /* "and" alone would be the token && */

namespace scan {

struct bare_problem {
	using input = SCAN_INPUT;
	using value = SCAN_ACCUMULATOR;
	using output = SCAN_OUTPUT;
	using op = SCAN_OPERATOR_TYPE(SCAN_OPERATOR);
	enum : bool { has_load = user_facts::has_load, has_store = user_facts::has_store };
};

/* Thread; result is none of the operands.  Operators of the caller's write large results where they belong. */
__device__ __forceinline__ void put_together(
	bare_problem::value *result, const bare_problem::value *earlier, const bare_problem::value *later)
{
	if constexpr (same_type<bare_problem::op, op_user>::value)
		apply_into(result, earlier, later);
	else
		*result = bare_problem::op::apply(*earlier, *later);
}

} // namespace scan

#endif
