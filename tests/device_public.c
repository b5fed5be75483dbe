/* SPDX-License-Identifier: MIT
 *
 * The public interface on the device of the tests.
 */
#include <stdio.h>

#include "device.h"

struct scanrt_context *test_context_create(const struct test_device *device)
{
	struct scanrt_context_options options = SCANRT_CONTEXT_OPTIONS_INIT;
	struct scanrt_context *context = NULL;
	char ordinal[16];

	snprintf(ordinal, sizeof(ordinal), "%d", device->ordinal);
	options.device = ordinal;
	options.database = "off";
	test_need(scanrt_context_create(&context, &options));
	return context;
}
