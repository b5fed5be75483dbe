/* SPDX-License-Identifier: MIT
 *
 * The Test Anything Protocol for C programs.
 *
 *   int main(void)
 *   {
 *           tap_plan(2);                      // or 0: the plan is printed at the end
 *           tap_ok(fits, "a tile of %d elements fits in shared memory", tile);
 *           tap_is_int(seen, 4, "the type i32 has 4 bytes");
 *           return tap_done();
 *   }
 *
 * Names are sentences, in printf form.  Every check prints where it stands, what was wanted, what was seen and the
 * case set by tap_case(), when it fails; and returns whether it passed.  One thread at a time.
 */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAP_PRINTF(text, first) __attribute__((format(printf, text, first)))

void tap_plan(int tests);   /* before the first check; 0: not known yet */
int tap_done(void);         /* checks the plan; gives main()'s exit status */

/* What the checks that follow are about ("seed 7 variant lookback"), printed with a failure; NULL ends it. */
void tap_case(const char *format, ...) TAP_PRINTF(1, 2);

#define tap_ok(claim, ...) tap_ok_at(__FILE__, __LINE__, (claim), __VA_ARGS__)
#define tap_is_int(seen, wanted, ...) tap_is_int_at(__FILE__, __LINE__, (seen), (wanted), __VA_ARGS__)
#define tap_is_uint(seen, wanted, ...) tap_is_uint_at(__FILE__, __LINE__, (seen), (wanted), __VA_ARGS__)
#define tap_is_double(seen, wanted, ...) tap_is_double_at(__FILE__, __LINE__, (seen), (wanted), __VA_ARGS__)
#define tap_is_near(seen, wanted, tolerance, ...) \
	tap_is_near_at(__FILE__, __LINE__, (seen), (wanted), (tolerance), __VA_ARGS__)
#define tap_is_string(seen, wanted, ...) tap_is_string_at(__FILE__, __LINE__, (seen), (wanted), __VA_ARGS__)
#define tap_is_bytes(seen, wanted, size, ...) tap_is_bytes_at(__FILE__, __LINE__, (seen), (wanted), (size), __VA_ARGS__)
#define tap_contains(text, part, ...) tap_contains_at(__FILE__, __LINE__, (text), (part), __VA_ARGS__)
#define tap_lacks(text, part, ...) tap_lacks_at(__FILE__, __LINE__, (text), (part), __VA_ARGS__)

bool tap_ok_at(const char *file, int line, bool claim, const char *name, ...) TAP_PRINTF(4, 5);
bool tap_is_int_at(const char *file, int line, int64_t seen, int64_t wanted, const char *name, ...) TAP_PRINTF(5, 6);
bool tap_is_uint_at(const char *file, int line, uint64_t seen, uint64_t wanted, const char *name, ...)
	TAP_PRINTF(5, 6);
/* Bit for bit the same value, or both NaN; -0 differs from +0. */
bool tap_is_double_at(const char *file, int line, double seen, double wanted, const char *name, ...) TAP_PRINTF(5, 6);
bool tap_is_near_at(const char *file, int line, double seen, double wanted, double tolerance, const char *name, ...)
	TAP_PRINTF(6, 7);
/* NULL equals only NULL. */
bool tap_is_string_at(const char *file, int line, const char *seen, const char *wanted, const char *name, ...)
	TAP_PRINTF(5, 6);
/* Names the first byte that differs. */
bool tap_is_bytes_at(const char *file, int line, const void *seen, const void *wanted, size_t size, const char *name,
	...) TAP_PRINTF(6, 7);
bool tap_contains_at(const char *file, int line, const char *text, const char *part, const char *name, ...)
	TAP_PRINTF(5, 6);
bool tap_lacks_at(const char *file, int line, const char *text, const char *part, const char *name, ...)
	TAP_PRINTF(5, 6);

void tap_skip(int tests, const char *reason, ...) TAP_PRINTF(2, 3);              /* in place of so many checks */
void tap_skip_all(const char *reason, ...) TAP_PRINTF(1, 2) __attribute__((noreturn)); /* in place of tap_plan() */
void tap_todo(const char *reason); /* failures that follow are expected; NULL ends it */
void tap_diag(const char *format, ...) TAP_PRINTF(1, 2);                         /* a remark, "# " before each line */
void tap_bail_out(const char *reason, ...) TAP_PRINTF(1, 2) __attribute__((noreturn)); /* nothing more makes sense */

#endif
