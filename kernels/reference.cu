/* SPDX-License-Identifier: MIT
 *
 * What scans of a problem are held to, with its own operator and nothing of the kernels that are to be judged: plain
 * loops.  A piece of the array is dealt out in chunks, a thread each.  One chunk is the definition of a scan; many need
 * an operator that is associative, and are for pieces that one thread would take minutes for.
 *
 *   reference_chunks   values[i] is the scan up to i within its chunk
 *   reference_carry    carries[c] becomes what comes before chunk c, and before the next piece in the end
 *   reference_finish   out[i]
 */
#include "bare_problem.cuh"

namespace scan {

using reference = bare_problem;
using T = reference::value;

__device__ __forceinline__ T first_result()
{
#if SCAN_IDENTITY
	return reference::op::identity<T>();
#else
	return T(); /* the host does not ask for it */
#endif
}

extern "C" __global__ void reference_chunks(const __grid_constant__ scan_reference_arguments arguments)
{
	take_state(arguments.state);
	const u64 chunk = u64(blockIdx.x) * blockDim.x + threadIdx.x;
	const reference::input *in = static_cast<const reference::input *>(arguments.in);
	T *values = static_cast<T *>(arguments.values);
	const u64 begin = chunk * arguments.chunk;
	u64 end = begin + arguments.chunk;
	if (end > arguments.count)
		end = arguments.count;
#pragma unroll 1
	for (u64 i = begin; i < end; i++) {
		if (i == begin) {
			new (place{}, values + i) T(load_element<reference>(in[i], arguments.first + i));
		} else {
			const T mine = load_element<reference>(in[i], arguments.first + i);
			put_together(values + i, values + i - 1, &mine);
		}
	}
}

/* One thread. */
extern "C" __global__ void reference_carry(const __grid_constant__ scan_reference_arguments arguments)
{
	take_state(arguments.state);
	const T *values = static_cast<const T *>(arguments.values);
	T *carries = static_cast<T *>(arguments.carries);
	bool has_carry = arguments.has_carry;
	u64 chunk = 0;
#pragma unroll 1
	for (u64 end = arguments.chunk;; end += arguments.chunk, chunk++) {
		const T *total = values + (end < arguments.count ? end : arguments.count) - 1;
		if (has_carry)
			put_together(carries + chunk + 1, carries + chunk, total);
		else
			carries[chunk + 1] = *total;
		has_carry = true;
		if (end >= arguments.count)
			break;
	}
}

extern "C" __global__ void reference_finish(const __grid_constant__ scan_reference_arguments arguments)
{
	take_state(arguments.state);
	const u64 at = u64(blockIdx.x) * blockDim.x + threadIdx.x;
	const T *values = static_cast<const T *>(arguments.values);
	const T *carries = static_cast<const T *>(arguments.carries);
	reference::output *out = static_cast<reference::output *>(arguments.out);
	if (at >= arguments.count)
		return;
	const bool is_first = arguments.is_exclusive && at == 0;
	const u64 last = arguments.is_exclusive && at > 0 ? at - 1 : at, chunk = last / arguments.chunk;
	const bool has_carry = chunk > 0 || arguments.has_carry;
	if (is_first) {
		out[at] = store_element<reference>(arguments.has_carry ? carries[0] : first_result());
	} else if (has_carry) {
		T result;
		put_together(&result, carries + chunk, values + last);
		out[at] = store_element<reference>(result);
	} else {
		out[at] = store_element<reference>(values[last]);
	}
}

} // namespace scan
