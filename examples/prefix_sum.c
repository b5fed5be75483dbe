/* SPDX-License-Identifier: MIT */
#include <scanrt.h>
#include <stdio.h>

#include "device_memory.h"

int main(void)
{
	int values[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
	struct scanrt_context *context;
	int *device;

	device_open(0);
	device = device_alloc(sizeof values);
	device_write(device, values, sizeof values);

	check_scan(scanrt_context_create(&context, NULL));
	check_scan(scanrt_scan(context, SCANRT_I32, SCANRT_SUM, SCANRT_INCLUSIVE, device, device, 8, NULL));

	device_read(values, device, sizeof values);
	for (int i = 0; i < 8; i++)
		printf("%d ", values[i]); /* 3 4 8 9 14 23 25 31 */
	printf("\n");
	scanrt_context_destroy(context);
	device_free(device);
	return 0;
}
