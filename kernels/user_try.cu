/* SPDX-License-Identifier: MIT
 *
 * The operator on its own, for the host to judge: whether it is associative, what it says of its identity, whether it
 * commutes, and whether it gives one result for one pair of operands and leaves them alone.
 *
 *   try_load      values[i] from in[i]
 *   try_triples   a record for each three neighbours a, b, c of `values`
 *   try_pairs     the combinations of pairs, which are the next values: larger parts of the array
 */
#include "bare_problem.cuh"

namespace scan {

using tried = bare_problem;
using T = tried::value;

/* Never inlined: what the second call of one pair returns is not to be taken from the first. */
__device__ __noinline__ void put_together_apart(T *result, const T *earlier, const T *later)
{
	put_together(result, earlier, later);
}

/* Every byte, padding too: the host looks whether operands are as they were. */
__device__ __forceinline__ void copy_bytes(T *to, const T *from)
{
#pragma unroll 1
	for (int i = 0; i < int(sizeof(T)); i++)
		reinterpret_cast<char *>(to)[i] = reinterpret_cast<const char *>(from)[i];
}

extern "C" __global__ void try_load(const __grid_constant__ scan_try_arguments arguments)
{
	const u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x;
	if (i < arguments.count)
		new (place{}, static_cast<T *>(arguments.values) + i)
			T(load_element<tried>(static_cast<const tried::input *>(arguments.in)[i], i));
}

extern "C" __global__ void try_triples(const __grid_constant__ scan_try_arguments arguments)
{
	take_state(arguments.state);
	const u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x;
	if (i + 2 >= arguments.count)
		return;
	const T *values = static_cast<const T *>(arguments.values) + i;
	T *record = static_cast<T *>(arguments.results) + i * SCAN_TRY_SLOTS;
	T *a = record + SCAN_TRY_A, *b = record + SCAN_TRY_B, *c = record + SCAN_TRY_C;
	copy_bytes(a, values);
	copy_bytes(b, values + 1);
	copy_bytes(c, values + 2);
	put_together_apart(record + SCAN_TRY_AB, a, b);
	put_together_apart(record + SCAN_TRY_AB_AGAIN, a, b);
	put_together_apart(record + SCAN_TRY_BC, b, c);
	put_together_apart(record + SCAN_TRY_LEFT, record + SCAN_TRY_AB, c);
	put_together_apart(record + SCAN_TRY_RIGHT, a, record + SCAN_TRY_BC);
	if constexpr (tried::op::is_commutative)
		put_together_apart(record + SCAN_TRY_BA, b, a);
#if SCAN_IDENTITY
	new (place{}, record + SCAN_TRY_IDENTITY) T(tried::op::identity<T>());
	put_together_apart(record + SCAN_TRY_IDENTITY_A, record + SCAN_TRY_IDENTITY, a);
	put_together_apart(record + SCAN_TRY_A_IDENTITY, a, record + SCAN_TRY_IDENTITY);
#endif
}

extern "C" __global__ void try_pairs(const __grid_constant__ scan_try_arguments arguments)
{
	take_state(arguments.state);
	const u64 i = u64(blockIdx.x) * blockDim.x + threadIdx.x;
	const T *values = static_cast<const T *>(arguments.values);
	if (2 * i + 1 < arguments.count)
		put_together_apart(static_cast<T *>(arguments.results) + i, values + 2 * i, values + 2 * i + 1);
}

} // namespace scan
