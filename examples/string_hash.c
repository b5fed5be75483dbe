/* SPDX-License-Identifier: MIT
 *
 * Polynomial hashes of all prefixes of a text, from which that of any part follows without reading it: the hash is the
 * sum of its bytes times powers of BASE modulo 2^61 - 1.  A value is a part's hash and the power that its length stands
 * for.
 */
#include "user_scan.h"

#define COUNT 3000
#define MODULUS ((UINT64_C(1) << 61) - 1)
#define BASE UINT64_C(911382323)

static const char part_text[] = "struct part { unsigned long long hash, power; };\n";
static const char join_text[] =
	"unsigned long long times(unsigned long long a, unsigned long long b)\n"
	"{\n"
	"	unsigned long long low = a * b, high = __umul64hi(a, b), m = (1ull << 61) - 1;\n"
	"	unsigned long long sum = (low & m) + (low >> 61 | high << 3);\n"
	"	return sum >= m ? sum - m : sum;\n"
	"}\n"
	"part apply(part a, part b)\n"
	"{\n"
	"	unsigned long long m = (1ull << 61) - 1, sum = times(a.hash, b.power) + b.hash;\n"
	"	return part{sum >= m ? sum - m : sum, times(a.power, b.power)};\n"
	"}\n";
static const char load_text[] = "part load(unsigned char c) { return part{c + 1ull, 911382323ull}; }\n";
static const char store_text[] = "unsigned long long store(part p) { return p.hash; }\n";

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product = 0;

	for (; b; b >>= 1, a = a * 2 % MODULUS)
		product = b & 1 ? (product + a) % MODULUS : product;
	return product;
}

int main(void)
{
	static unsigned char text[COUNT];
	static uint64_t hashes[COUNT];
	struct scanrt_problem problem = SCANRT_PROBLEM_INIT;
	struct scanrt_user_type type = SCANRT_USER_TYPE_INIT;
	struct scanrt_user_operator op = SCANRT_USER_OPERATOR_INIT;
	uint64_t hash = 0;
	int wrong = 0;

	type.name = "part";
	type.text = part_text;
	type.bytes = 16;
	type.alignment = 8;
	op.name = "join";
	op.text = join_text;
	problem.input_type = SCANRT_U8;
	problem.accumulator_type = SCANRT_TYPE_USER;
	problem.user_accumulator = &type;
	problem.output_type = SCANRT_U64;
	problem.op = SCANRT_OPERATOR_USER;
	problem.user_operator = &op;
	problem.load_text = load_text;
	problem.store_text = store_text;
	for (int i = 0; i < COUNT; i++)
		text[i] = (unsigned char)("abracadabra "[i % 12] + i / 1000);
	scan_on_device(&problem, hashes, sizeof(uint64_t), text, 1, COUNT);
	for (int i = 0; i < COUNT; i++) {
		hash = (times(hash, BASE) + text[i] + 1) % MODULUS;
		wrong += hashes[i] != hash;
	}
	printf("%d hashes are wrong\n", wrong);
	return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
