/* SPDX-License-Identifier: MIT
 *
 * Programs built with a default stream per thread ask for these.
 */
#include "driver.h"

static CUstream own(CUstream stream)
{
	return stream == NULL ? CU_STREAM_PER_THREAD : stream;
}

#define PTSZ(name, parameters, arguments) \
	CUresult name##_ptsz parameters \
	{ \
		return name arguments; \
	}
#include "driver_ptsz.def"
#undef PTSZ
