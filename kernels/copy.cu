/* SPDX-License-Identifier: MIT
 *
 * The ceiling that scans are compared with: one 16-byte vector a thread, which is the fastest copy that was found.
 */
extern "C" __global__ void __launch_bounds__(512) scan_copy(void *out, const void *in, unsigned long long bytes)
{
	const unsigned long long index = blockIdx.x * 512ull + threadIdx.x;
	const unsigned long long vectors = bytes / 16;

	if (index < vectors)
		static_cast<uint4 *>(out)[index] = static_cast<const uint4 *>(in)[index];
	/* Less than one vector is left: a byte for each of the next threads. */
	else if (index - vectors < bytes % 16)
		static_cast<char *>(out)[bytes - 1 - (index - vectors)] =
			static_cast<const char *>(in)[bytes - 1 - (index - vectors)];
}
