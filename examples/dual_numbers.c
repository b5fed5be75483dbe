/* SPDX-License-Identifier: MIT
 *
 * Products of dual numbers with 16 partial derivatives, 136 bytes each: a value and its gradient, scanned together.
 */
#include <math.h>

#include "user_scan.h"

#define COUNT 2000

struct dual {
	double value;
	double partial[16];
};

static const char dual_text[] = "struct dual { double value; double partial[16]; };\n";
static const char product_text[] =
	"void apply(dual &product, const dual &a, const dual &b)\n"
	"{\n"
	"	product.value = a.value * b.value;\n"
	"	for (int i = 0; i < 16; i++)\n"
	"		product.partial[i] = a.value * b.partial[i] + b.value * a.partial[i];\n"
	"}\n";

int main(void)
{
	static struct dual factors[COUNT], products[COUNT];
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_user_type type = SCANRT_USER_TYPE_INIT;
	struct scanrt_user_operator op = SCANRT_USER_OPERATOR_INIT;
	struct dual product = { 1, { 0 } };
	double worst = 0;

	type.name = "dual";
	type.text = dual_text;
	type.bytes = sizeof(struct dual);
	type.alignment = 8;
	op.name = "dual_product";
	op.text = product_text;
	problem.input_type = SCANRT_TYPE_USER;
	problem.user_input = &type;
	problem.op = SCANRT_OPERATOR_USER;
	problem.user_operator = &op;
	/* Factor i is 1 + a tenth of variable i mod 16, whose value is 0. */
	for (int i = 0; i < COUNT; i++) {
		factors[i].value = 1;
		factors[i].partial[i % 16] = 0.1;
	}
	scan_on_device(&problem, products, sizeof(struct dual), factors, sizeof(struct dual), COUNT);
	for (int i = 0; i < COUNT; i++) {
		product.partial[i % 16] += 0.1;
		for (int j = 0; j < 16; j++)
			worst = fmax(worst, fabs(products[i].partial[j] - product.partial[j]));
	}
	printf("the gradients are off by %g at most\n", worst);
	return worst < 1e-9 ? EXIT_SUCCESS : EXIT_FAILURE;
}
