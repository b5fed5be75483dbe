/* SPDX-License-Identifier: MIT
 *
 * The caller's text alone, for when a kernel with it does not compile: whether it does, and has what the kernels ask of
 * it.  An error is then about the text, in few words.
 */
#include "user.cuh"

namespace scan {

using T = user_accumulator;

/* Whether what a function returns initialises what is to be made of it. */
template <class To> void take(To);
SCAN_CAN_CALL(returns_result, take<T>(apply(any<const T &>(), any<const T &>())))
SCAN_CAN_CALL(returns_result_of_state, take<T>(apply(any<const T &>(), any<const T &>(), any<state_pointer>())))

static_assert(!user_facts::has_operator || user_facts::has_state || takes_operands<T>(0) || takes_result<T>(0),
	"the operator's text has no apply(earlier, later) that takes two accumulators, or has several");
static_assert(!user_facts::has_operator || !user_facts::has_state || takes_operands_and_state<T>(0) ||
		takes_result_and_state<T>(0),
	"the operator's text has no apply(earlier, later, state) that takes two accumulators and a pointer, or has "
	"several");
static_assert(!user_facts::has_operator || user_facts::has_state || !takes_operands<T>(0) || takes_result<T>(0) ||
		returns_result<T>(0),
	"apply(earlier, later) of the operator's text does not return an accumulator");
static_assert(!user_facts::has_state || !takes_operands_and_state<T>(0) || takes_result_and_state<T>(0) ||
		returns_result_of_state<T>(0),
	"apply(earlier, later, state) of the operator's text does not return an accumulator");
static_assert(!user_facts::has_load || takes_index<user_input>(0) || takes_element<user_input>(0),
	"the load conversion's text has no load(x) that takes an input element");
static_assert(!user_facts::has_store || can_store<T>(0),
	"the store conversion's text has no store(x) that takes an accumulator");

/* The bodies, too, of templates of the caller's, and that results have the right type. */
extern "C" __global__ void user_check(user_output *out, const user_input *in, T *values)
{
	if constexpr (user_facts::has_operator)
		apply_into(values, values + 1, values + 2);
	if constexpr (user_facts::has_load)
		values[3] = call_load<T>(in[0], 0);
	if constexpr (user_facts::has_store)
		out[0] = call_store<user_output>(values[4]);
}

} // namespace scan
