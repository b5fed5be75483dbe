/* SPDX-License-Identifier: MIT */
#include "draw.h"

#include <string.h>

#include "../../lib/strategy.h"

#define MOST_DRAWS 400
#define REGISTER_BYTES 512 /* of elements a thread: more than that only makes the compiler slow */

static const int mixed[][3] = { { SCANRT_I8, SCANRT_I32, SCANRT_I32 }, { SCANRT_U8, SCANRT_U64, SCANRT_U32 },
	{ SCANRT_I16, SCANRT_I32, SCANRT_I8 }, { SCANRT_U32, SCANRT_U32, SCANRT_U8 },
	{ SCANRT_I64, SCANRT_I16, SCANRT_I32 }, { SCANRT_F16, SCANRT_F32, SCANRT_F16 },
	{ SCANRT_F16, SCANRT_F64, SCANRT_BF16 }, { SCANRT_F32, SCANRT_F64, SCANRT_F32 },
	{ SCANRT_I32, SCANRT_I64, SCANRT_I64 }, { SCANRT_I32, SCANRT_F32, SCANRT_F32 } };

static uint64_t pick(struct test_random *random, uint64_t least, uint64_t most)
{
	return least + test_draw(random, most - least + 1);
}

void draw_problem(struct srt_problem *problem, struct test_random *random)
{
	static const int ops[] = { SCANRT_SUM, SCANRT_PROD, SCANRT_MIN, SCANRT_MAX, SCANRT_AND, SCANRT_OR, SCANRT_XOR,
		SRT_OP_LAST, SRT_OP_AFFINE, SRT_OP_AFFINE };
	const int *row = mixed[test_draw(random, sizeof(mixed) / sizeof(mixed[0]))];
	int type;
	int op;

	do {
		type = (int)pick(random, SCANRT_I8, SCANRT_F64);
		op = ops[test_draw(random, sizeof(ops) / sizeof(ops[0]))];
	} while (!srt_op_takes(op, type));
	if (test_draw(random, 3) == 0)
		test_problem(problem, test_draw(random, 3) ? SCANRT_SUM : SCANRT_MAX, row[0], row[1], row[2],
			test_draw(random, 2));
	else
		test_problem(problem, op, type, type, type, test_draw(random, 2));
	if (test_draw(random, 2))
		test_problem_set_initial(problem, random->drawn);
}

void draw_shape(struct shape *shape, struct test_random *random)
{
	static const uint64_t bounds[] = { 16, 32, 64, 160, 512, SCANRT_USER_BYTES_MAX };
	uint64_t bound = bounds[test_draw(random, sizeof(bounds) / sizeof(bounds[0]))];

	memset(shape, 0, sizeof(*shape));
	shape->alignment = (size_t)1 << test_draw(random, 5);
	if (shape->alignment > bound)
		shape->alignment = 1;
	shape->size = pick(random, 1, bound / shape->alignment) * shape->alignment;
	shape->is_commutative = test_draw(random, 4) == 0;
	shape->has_identity = test_draw(random, 2);
	shape->has_result = test_draw(random, 2);
}

/* Small blocks and few items more often than a tuner would take them: their scans have many tiles. */
static int draw_knob(struct test_random *random, const struct srt_knob *knob, const struct srt_problem *problem)
{
	int vector = srt_problem_vector(problem);
	uint64_t value = pick(random, (uint64_t)knob->least, (uint64_t)knob->most);

	if (strcmp(knob->name, "block") == 0)
		return 32 * (int)pick(random, 1, test_draw(random, 4) ? 4 : 32);
	if (strcmp(knob->name, "residency") == 0)
		return (int)pick(random, 1, 4);
	if (strcmp(knob->name, "items") != 0)
		return (int)(value - value % (uint64_t)knob->step);
	if (test_draw(random, 4) == 0)
		return (int)pick(random, 1, 8);
	return vector * (int)pick(random, 1, 8);
}

static void draw_any(struct srt_variant *variant, struct test_random *random, const struct srt_problem *problem)
{
	const struct srt_knob *knob;
	int strategies = 0;

	while (srt_strategy_at(strategies) != 0)
		strategies++;
	srt_variant_init(variant,
		(enum srt_strategy)srt_strategy_at((int)test_draw(random, (uint64_t)strategies)));
	for (knob = srt_knobs; knob->name; knob++)
		if (srt_knob_get(knob, variant) != 0 &&
			(strcmp(knob->name, "block") == 0 || strcmp(knob->name, "items") == 0 ||
				test_draw(random, 2)))
			srt_knob_set(knob, variant, draw_knob(random, knob, problem));
}

bool draw_variant(struct srt_variant *variant, struct test_random *random, const struct srt_problem *problem,
	const struct test_device *device)
{
	size_t size = srt_problem_size(problem, SRT_ACCUMULATOR);

	for (int i = 0; i < MOST_DRAWS; i++) {
		draw_any(variant, random, problem);
		if ((variant->strategy == SRT_LARGE || (size_t)variant->items * size <= REGISTER_BYTES) &&
			srt_variant_check(variant, problem, &device->facts) == SCANRT_OK)
			return true;
	}
	return false;
}

uint64_t draw_count(struct test_random *random, const struct srt_variant *variant, uint64_t largest)
{
	uint64_t tile = srt_variant_tile(variant);
	uint64_t unit = test_draw(random, 3) ? tile : 32 * tile;
	uint64_t limit = srt_variant_max_count(variant);
	uint64_t count;

	limit = limit < largest ? limit : largest;
	if (limit <= unit || test_draw(random, 3) == 0)
		count = pick(random, 1, limit);
	else
		count = pick(random, 1, limit / unit) * unit + test_draw(random, 3) - 1;
	return count < 1 ? 1 : count > limit ? limit : count;
}
