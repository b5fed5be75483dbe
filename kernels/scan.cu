/* SPDX-License-Identifier: MIT
 *
 * The entry: one kernel, its strategy chosen at compile time.
 */
#include "policy.cuh"

#include SCAN_FILE /* the strategy's, by its row in lib/strategy.def */

#if SCAN_PHASES == 1 /* else the strategy's file has the kernels */
SCAN_KERNEL(const __grid_constant__ scan_arguments arguments)
{
	scan::take_state(arguments.state);
	scan::scan_strategy<scan::policy, scan::policy::how()>::run(arguments);
}
#endif
