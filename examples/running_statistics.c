/* SPDX-License-Identifier: MIT
 *
 * The mean and the variance of everything so far, at every element, without the cancellation of sums of squares.
 */
#include <math.h>

#include "user_scan.h"

#define COUNT 3000

struct moments {
	double count, mean, m2;
};

int main(void)
{
	static double values[COUNT];
	static struct moments seen[COUNT];
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	double mean = 0, m2 = 0, worst = 0;

	problem.input_type = SCANRT_F64;
	problem.accumulator_type = SCANRT_MOMENTS_F64;
	problem.output_type = SCANRT_MOMENTS_F64;
	problem.op = SCANRT_MOMENTS;
	for (int i = 0; i < COUNT; i++)
		values[i] = 1e9 + i % 10; /* squares would leave no digit of the variance */
	scan_on_device(&problem, seen, sizeof(struct moments), values, sizeof(double), COUNT);
	for (int i = 0; i < COUNT; i++) {
		double step = values[i] - mean;

		mean += step / (i + 1);
		m2 += step * (values[i] - mean);
		worst = fmax(worst, fabs(seen[i].m2 - m2) / (i + 1));
	}
	printf("mean %.6f, variance %.6f; variances are off by %g at most\n", seen[COUNT - 1].mean,
		seen[COUNT - 1].m2 / COUNT, worst);
	return worst < 1e-5 ? EXIT_SUCCESS : EXIT_FAILURE;
}
