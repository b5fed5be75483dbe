/* SPDX-License-Identifier: MIT
 *
 * One channel of a selective state space model (as in Mamba): h[t] = exp(delta[t] a) h[t-1] + delta[t] b[t] x[t].  The
 * step's inputs become an affine map when they are loaded, maps are composed, and the states are what is stored: one
 * pass over the data.  The operator is a built-in one; only the load is ours.
 */
#include <math.h>

#include "user_scan.h"

#define COUNT 3000

struct step {
	float delta, b, x;
};

static const char step_text[] = "struct step { float delta, b, x; };\n";
static const char load_text[] =
	"scan::affine_f32 load(const step &s)\n"
	"{\n"
	"	constexpr float a = -0.5f;\n"
	"	return {expf(s.delta * a), s.delta * s.b * s.x};\n"
	"}\n";

int main(void)
{
	static struct step steps[COUNT];
	static float states[COUNT];
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_user_type type = SCANRT_USER_TYPE_INIT;
	const float start[] = { 1, 0.25f }; /* the map { slope, offset }: the state before the first step is 0.25 */
	double state = start[1], worst = 0;

	type.name = "step";
	type.text = step_text;
	type.bytes = sizeof(struct step);
	type.alignment = 4;
	problem.input_type = SCANRT_TYPE_USER;
	problem.user_input = &type;
	problem.load_text = load_text;
	problem.accumulator_type = SCANRT_AFFINE_F32;
	problem.output_type = SCANRT_F32;
	problem.op = SCANRT_AFFINE;
	problem.initial = start;
	for (int i = 0; i < COUNT; i++)
		steps[i] = (struct step){ 0.1f + 0.01f * (float)(i % 7), 1, sinf(0.01f * (float)i) };
	scan_on_device(&problem, states, sizeof(float), steps, sizeof(struct step), COUNT);
	for (int i = 0; i < COUNT; i++) {
		state = exp(-0.5 * steps[i].delta) * state + steps[i].delta * steps[i].b * steps[i].x;
		worst = fmax(worst, fabs(states[i] - state));
	}
	printf("the states are off by %g at most\n", worst);
	return worst < 1e-4 ? EXIT_SUCCESS : EXIT_FAILURE;
}
