/* SPDX-License-Identifier: MIT
 *
 * libscanrt: prefix scan on NVIDIA GPUs at the price of a copy.
 *
 * A scan combines the elements x[0], x[1], ... of an array with an associative operator o:
 *   inclusive   out[i] = x[0] o x[1] o ... o x[i]
 *   exclusive   out[i] = x[0] o x[1] o ... o x[i-1]
 * The operator need not be commutative: unless it says that it is, it only ever sees adjacent partial results, in array
 * order.
 *
 * Usage: create a context for a device, a plan for a problem, and execute the plan on a stream.  scanrt_scan() does
 * all three in one call and remembers the plan.  The machine code comes from a database that scantune(1) fills; where
 * there is none, the library compiles the kernel with NVRTC.
 *
 * Conventions.  Every fallible function returns an int status: SCANRT_OK (0) or one of enum scanrt_status; then
 * scanrt_last_error() tells what went wrong in one sentence, for the calling thread.  A call that refuses its
 * arguments has changed nothing, but that a create which fails sets its handle to NULL.  Structures begin with their
 * own size and are initialised by a macro, so that a program compiled against this header keeps working with a newer
 * library.  Device pointers are plain pointers, streams are CUstream or cudaStream_t as void *; NULL is the default.
 *
 * Threads.  Any thread may call any function.  A plan may be executed by one thread and on one stream at a time;
 * different plans run concurrently.  Contexts may be shared.
 */
#ifndef SCANRT_H
#define SCANRT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* the library itself is built with hidden symbols */
#endif

#define SCANRT_VERSION_MAJOR 0
#define SCANRT_VERSION_MINOR 1
#define SCANRT_VERSION_PATCH 0

/* What a call returns.  Groups leave gaps for later members; the numbers never change. */
enum scanrt_status {
	SCANRT_OK = 0,

	/* The caller's arguments. */
	SCANRT_ERROR_NULL_POINTER = 100,      /* a required pointer is NULL */
	SCANRT_ERROR_MISALIGNED = 101,        /* a device pointer is not aligned to its element size */
	SCANRT_ERROR_OVERLAP = 102,           /* in and out overlap without being equal */
	SCANRT_ERROR_COUNT = 103,             /* the count is beyond the plan's bounds, or its bytes overflow */
	SCANRT_ERROR_TYPE = 104,              /* an unknown type, or one that the operator does not take */
	SCANRT_ERROR_OPERATOR = 105,          /* unknown, or it lacks what is asked of it: identity, state, laws */
	SCANRT_ERROR_MODE = 106,              /* an unknown mode, direction, segment kind or layout */
	SCANRT_ERROR_STRUCT_SIZE = 107,       /* a structure's size is too small, or its unknown tail is not zero */
	SCANRT_ERROR_VARIANT = 108,           /* a variant that does not parse, or that problem or device excludes */
	SCANRT_ERROR_CONTEXT = 109,           /* a stream or memory of another context or device, or of none */
	SCANRT_ERROR_FLAGS = 110,             /* unknown flag bits */
	SCANRT_ERROR_ENVIRONMENT = 111,       /* a variable of the environment is set to what it cannot be */
	SCANRT_ERROR_TEXT = 112,              /* the caller's text does not compile, or is not as described */

	SCANRT_ERROR_OUT_OF_MEMORY = 200,     /* host memory */
	SCANRT_ERROR_DEVICE_MEMORY = 201,     /* device memory */

	SCANRT_ERROR_NO_DRIVER = 300,         /* libcuda could not be loaded */
	SCANRT_ERROR_DRIVER_TOO_OLD = 301,    /* the driver lacks a function that we need */
	SCANRT_ERROR_DRIVER_STUB = 302,       /* the libcuda found is the toolkit's link-time stub */
	SCANRT_ERROR_DRIVER = 303,            /* any other failure of a driver call */

	SCANRT_ERROR_NO_DEVICE = 400,         /* no such device */
	SCANRT_ERROR_DEVICE_UNSUPPORTED = 401,/* the device is older than compute capability 7.5 */
	SCANRT_ERROR_DEVICE_LOST = 402,       /* the context is in a sticky error state */

	SCANRT_ERROR_NO_COMPILER = 500,       /* an image must be compiled and NVRTC could not be loaded */
	SCANRT_ERROR_COMPILER_TOO_OLD = 501,  /* NVRTC lacks a function that we need */
	SCANRT_ERROR_COMPILER = 502,          /* any other failure of NVRTC that is not the source's fault */

	SCANRT_ERROR_COMPILE = 600,           /* the kernel does not compile; the log says why */
	SCANRT_ERROR_LINK = 601,              /* the driver's JIT linker refused the PTX */
	SCANRT_ERROR_IMAGE = 602,             /* an image that does not load */

	SCANRT_ERROR_LAUNCH = 700,            /* the driver refused the launch */
	SCANRT_ERROR_CAPTURE = 701,           /* the call allocates or compiles, and the stream is being captured */
	SCANRT_ERROR_WORKSPACE = 800,         /* the caller's workspace is too small, misaligned or no device memory */
	SCANRT_ERROR_UNSUPPORTED = 900,       /* legal, but not built yet */

	SCANRT_ERROR_DATABASE = 1000,         /* the tuning database could not be opened, read or written */
	SCANRT_ERROR_DATABASE_FORMAT = 1001,  /* a file that is not ours, or of another version */
	SCANRT_ERROR_DATABASE_CORRUPT = 1002, /* damaged, or an image whose hash does not match */
	SCANRT_ERROR_DATABASE_BUSY = 1003     /* another process holds the lock */
};

/* Element types.  Integers wrap on overflow.  f16 is IEEE binary16, bf16 is bfloat16. */
enum scanrt_type {
	SCANRT_TYPE_DEFAULT = 0, /* see struct scanrt_problem */
	SCANRT_I8 = 1,
	SCANRT_I16 = 2,
	SCANRT_I32 = 3,
	SCANRT_I64 = 4,
	SCANRT_U8 = 5,
	SCANRT_U16 = 6,
	SCANRT_U32 = 7,
	SCANRT_U64 = 8,
	SCANRT_F16 = 9,
	SCANRT_BF16 = 10,
	SCANRT_F32 = 11,
	SCANRT_F64 = 12,

	/* Integers of 128 bits, low word first, and complex numbers, real part first. */
	SCANRT_I128 = 20,
	SCANRT_U128 = 21,
	SCANRT_C64 = 22,
	SCANRT_C128 = 23,

	/* Structures of the operators below; their arrays are aligned to their members.
	 * Affine: { slope, offset }, the map x -> slope x + offset. */
	SCANRT_AFFINE_F32 = 30,
	SCANRT_AFFINE_F64 = 31,
	SCANRT_AFFINE_C64 = 32,
	/* Indexed: { value, index }, the index a u32 beside 4 bytes and a u64 beside 8. */
	SCANRT_INDEXED_I32 = 40,
	SCANRT_INDEXED_I64 = 41,
	SCANRT_INDEXED_F32 = 42,
	SCANRT_INDEXED_F64 = 43,
	/* Optional: { value, is_valid }, the latter a u32 or u64 likewise; 0: there is no value. */
	SCANRT_OPTIONAL_I32 = 50,
	SCANRT_OPTIONAL_I64 = 51,
	SCANRT_OPTIONAL_F32 = 52,
	SCANRT_OPTIONAL_F64 = 53,
	/* Matrices of 2 x 2, row after row. */
	SCANRT_MATRIX2_U32 = 60,
	SCANRT_MATRIX2_F32 = 61,
	SCANRT_MATRIX2_F64 = 62,
	/* Moments: { count, mean, m2 }; the variance is m2 / count, or m2 / (count - 1). */
	SCANRT_MOMENTS_F32 = 70,
	SCANRT_MOMENTS_F64 = 71,

	SCANRT_TYPE_USER = 100   /* described by a struct scanrt_user_type in the problem */
};

/* Operators.  AND, OR and XOR are bitwise and take integer accumulators only.  MIN and MAX: a NaN wins and stays, and
 * -0 is less than +0.  SUM and PROD take complex numbers, too.
 *
 * AFFINE composes maps, the earlier one applied first: with the initial value { 1, x[-1] }, the results' offsets are
 * the x[i] = slope[i] x[i-1] + offset[i] of a first-order recurrence, and f32 is an output type of SCANRT_AFFINE_F32.
 * ARGMIN and ARGMAX: of equal values the earlier one stays, a NaN wins, the first NaN stays; input may be the values
 * alone, output the values or the indices alone.  LAST_VALID: input may be the values, of which a NaN is none.
 * MATMUL: the product of the matrices in array order.  MOMENTS joins counts, means and m2 of adjacent parts; input may
 * be the values.  SATURATING_SUM takes unsigned accumulators (of signed ones it is not associative). */
enum scanrt_operator {
	SCANRT_SUM = 1,
	SCANRT_PROD = 2,
	SCANRT_MIN = 3,
	SCANRT_MAX = 4,
	SCANRT_AND = 5,
	SCANRT_OR = 6,
	SCANRT_XOR = 7,
	SCANRT_LOGADDEXP = 8, /* log(exp(a) + exp(b)), of floats */
	SCANRT_AFFINE = 9,
	SCANRT_ARGMIN = 10,
	SCANRT_ARGMAX = 11,
	SCANRT_LAST_VALID = 12,
	SCANRT_MATMUL = 13,
	SCANRT_MOMENTS = 14,
	SCANRT_SATURATING_SUM = 15,
	SCANRT_OPERATOR_USER = 100 /* described by a struct scanrt_user_operator in the problem */
};

enum scanrt_mode {
	SCANRT_INCLUSIVE = 0,
	SCANRT_EXCLUSIVE = 1
};

enum scanrt_direction {
	SCANRT_FORWARD = 0,
	SCANRT_REVERSE = 1 /* not built yet: SCANRT_ERROR_UNSUPPORTED */
};

enum scanrt_segments {
	SCANRT_SEGMENTS_NONE = 0,
	SCANRT_SEGMENTS_OFFSETS = 1, /* these three are not built yet: SCANRT_ERROR_UNSUPPORTED */
	SCANRT_SEGMENTS_HEAD_FLAGS = 2,
	SCANRT_SEGMENTS_KEYS = 3
};

/* A type of the caller's: any struct that can be copied byte by byte, of 1 to SCANRT_USER_BYTES_MAX bytes.
 *
 * `text` is CUDA C++ that defines a type called `name` (it may be in a namespace: "mine::dual"): trivially copyable,
 * without constructors or initialisers that would have to run.  Whether the compiler agrees on its size and alignment
 * is checked.  Without text the type is so many opaque bytes, which conversions and the operator know by the name
 * scan::opaque<bytes, alignment>, an array `byte` in it; `name`, if any, is then only for people.
 *
 * Padding is copied or not, and never looked at.  All strings are copied when the problem is used. */
struct scanrt_user_type {
	size_t size;             /* sizeof(struct scanrt_user_type) */
	const char *name;        /* letters, digits, _ and :: */
	const char *text;        /* or NULL */
	size_t bytes;            /* sizeof the type; a multiple of the alignment */
	size_t alignment;        /* 1, 2, 4, 8 or 16; arrays have to be aligned to it */
};
#define SCANRT_USER_BYTES_MAX 4096
#define SCANRT_USER_TYPE_INIT { sizeof(struct scanrt_user_type), NULL, NULL, 0, 0 }

/* An operator of the caller's.  `text` is CUDA C++ that defines
 *   T apply(const T &earlier, const T &later)
 * for the accumulator type T (operands by value are as good, up to about a hundred bytes), for larger types preferably
 *   void apply(T &result, const T &earlier, const T &later)
 * where result is none of the operands and has no value yet; with SCANRT_HAS_STATE there is one more parameter, a
 * pointer to whatever the state is.  It must be associative and depend on nothing but its operands and the state.  It
 * is only ever given real partial results: adjacent ones in array order, unless it is SCANRT_COMMUTATIVE.
 *
 * The texts of types, operator and conversions are one program: what an earlier one defines, a later one may use; no
 * macro may be called SCAN_...  Built-in types are called scan::f16, scan::bf16 and, as anywhere, int, float, ...  No
 * file can be included (SCANRT_ERROR_TEXT): the text is all there is.  Functions need no __device__. */
struct scanrt_user_operator {
	size_t size;             /* sizeof(struct scanrt_user_operator) */
	const char *name;        /* letters, digits and _ */
	const char *text;
	const void *identity;    /* one accumulator element, in host memory, or NULL: it has none, or none is known */
	uint32_t flags;          /* SCANRT_COMMUTATIVE, SCANRT_HAS_STATE */
	const void *state;       /* a device pointer, for every execution of the plan until scanrt_plan_set_state() */
};
/* apply(a, b) == apply(b, a).  It may then be given partial results of real elements that are no neighbours, in any
 * order, which is a little faster. */
#define SCANRT_COMMUTATIVE 1u
#define SCANRT_HAS_STATE 2u
#define SCANRT_USER_OPERATOR_INIT { sizeof(struct scanrt_user_operator), NULL, NULL, NULL, 0, NULL }

/* What to scan.  Zero in every member but size and op is a legal default: one contiguous array of the input type,
 * inclusive, forward.
 *
 * Types.  Each element is converted from the input type to the accumulator type, combined there, and each result is
 * converted to the output type.  Defaults: the output type is the input type; the accumulator type is the output
 * type, or f32 where that is f16 or bf16.  Integer conversions wrap; a float becomes an integer by truncation
 * towards zero to 64 bits (saturating, NaN to 0), which then wraps to the narrower type.
 *
 * Types of the caller's: SCANRT_TYPE_USER, and its description in user_input, user_accumulator or user_output.  Where
 * two types differ and one is the caller's, the conversion is the caller's too: load_text is CUDA C++ that defines
 *   accumulator load(const input &x)   or   accumulator load(const input &x, unsigned long long index)
 * with the element's index in the array, and store_text defines
 *   output store(const accumulator &x).
 * Both may also stand between built-in types, in place of the library's conversion.
 *
 * Initial value.  `initial` points to one element of the accumulator type, in host memory, read when the plan is
 * created; or, with SCANRT_INITIAL_ON_DEVICE, in device memory, read by each execution in stream order.  It is
 * combined before x[0].  An exclusive scan without it starts with the operator's identity, which it must have. */
struct scanrt_problem {
	size_t size;              /* sizeof(struct scanrt_problem) */
	int input_type;           /* enum scanrt_type */
	int accumulator_type;
	int output_type;
	int op;                   /* enum scanrt_operator */
	int mode;                 /* enum scanrt_mode */
	int direction;            /* enum scanrt_direction */
	int segments;             /* enum scanrt_segments */
	uint32_t flags;           /* SCANRT_INITIAL_ON_DEVICE */
	const void *initial;      /* one accumulator element, or NULL */
	uint64_t max_count;       /* the largest count that the plan will execute; 0: 2^32.  Bounds the workspace. */
	uint64_t min_count;       /* the smallest but 0; 0: 1.  A plan loads images only for counts from here on. */
	uint64_t outer_extent;    /* layout of an axis scan; all zero: contiguous 1-D.  Others are not built yet. */
	uint64_t inner_extent;
	int64_t input_strides[3];  /* outer, axis, inner; in elements */
	int64_t output_strides[3];
	const struct scanrt_user_type *user_input; /* of SCANRT_TYPE_USER; else NULL */
	const struct scanrt_user_type *user_accumulator;
	const struct scanrt_user_type *user_output;
	const struct scanrt_user_operator *user_operator; /* of SCANRT_OPERATOR_USER; else NULL */
	const char *load_text;    /* or NULL */
	const char *store_text;
};
#define SCANRT_INITIAL_ON_DEVICE 1u
#define SCANRT_PROBLEM_INIT { sizeof(struct scanrt_problem), 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0, {0}, {0}, \
	NULL, NULL, NULL, NULL, NULL, NULL }

/* One message of the library to whoever debugs it: what was looked up, found, refused.  Called on the thread that
 * made the public call; must not call the library. */
typedef void (*scanrt_log_function)(void *user, const char *line);

struct scanrt_context_options {
	size_t size;             /* sizeof(struct scanrt_context_options) */
	/* "0", "1", ... an ordinal, or "emu"; NULL: the calling thread's current CUDA context, or device 0 */
	const char *device;
	/* as SCANRT_DB: a path (only this file), or "off"; NULL: the environment, else the usual files */
	const char *database;
	scanrt_log_function log; /* NULL: SCANRT_LOG decides (a file's path, or "stderr") */
	void *log_user;
};
#define SCANRT_CONTEXT_OPTIONS_INIT { sizeof(struct scanrt_context_options), NULL, NULL, NULL, NULL }

struct scanrt_plan_options {
	size_t size;             /* sizeof(struct scanrt_plan_options) */
	const char *variant;     /* pins a variant (text of scanrt-variant(5)); NULL: SCANRT_VARIANT, else look up */
	uint32_t flags;          /* SCANRT_REPRODUCIBLE, SCANRT_CODEGEN_PTX, SCANRT_CHECK_OPERATOR */
	/* device memory of scanrt_plan_workspace_size() bytes, 256-byte aligned; NULL: the plan's own */
	void *workspace;
	size_t workspace_size;   /* bytes */
	/* Of SCANRT_CHECK_OPERATOR: input elements on the device to try the caller's operator on, 3 at least; NULL:
	 * random ones.  Which numbers an accumulator of the caller's type is made of: SCANRT_F32 or SCANRT_F64, or
	 * SCANRT_TYPE_DEFAULT: it is compared byte by byte; and how far these may be off, in parts of the largest of
	 * the operands; 0: 1e-4 for f32, 1e-9 for f64. */
	const void *check_elements;
	uint64_t check_count;
	int check_word_type;
	double check_tolerance;
};
#define SCANRT_REPRODUCIBLE 1u /* the fixed order of libscanrt(7): same bits after every tuning, on every GPU */
#define SCANRT_CODEGEN_PTX 2u  /* compile to PTX and let the driver's JIT make the machine code */
/* Try the caller's operator first: it has to be associative, to have the identity and the commutativity that it claims,
 * to give one result for one pair, and to leave its operands alone.  SCANRT_ERROR_OPERATOR where it does not, with an
 * example; where floats deviate within the tolerance, the plan's account says how far.  For tests: it compiles. */
#define SCANRT_CHECK_OPERATOR 4u
#define SCANRT_PLAN_OPTIONS_INIT { sizeof(struct scanrt_plan_options), NULL, 0, NULL, 0, NULL, 0, 0, 0 }

struct scanrt_context;
struct scanrt_plan;

/* Opens a device: loads the driver, reads the device's facts and keeps its primary context (or the current context)
 * until destroyed.  options may be NULL.  The context outlives every plan made from it.  It allocates 2 MiB of the
 * device's memory, if they are to be had, of which plans get their workspaces. */
int scanrt_context_create(struct scanrt_context **context, const struct scanrt_context_options *options);
void scanrt_context_destroy(struct scanrt_context *context); /* NULL is fine */

/* Resolves a problem to variants, one per size class from min_count to max_count, loads or compiles their images, and
 * allocates and clears the workspace.  May take tens of milliseconds where it compiles; refused during capture of the
 * calling thread's stream only as the driver refuses it.  options may be NULL. */
int scanrt_plan_create(struct scanrt_plan **plan, struct scanrt_context *context, const struct scanrt_problem *problem,
	const struct scanrt_plan_options *options);
/* The caller sees to it that no execution is in flight. */
void scanrt_plan_destroy(struct scanrt_plan *plan); /* NULL is fine */

/* Bytes of workspace that a plan of this problem needs, for options->workspace; 0 where one block does it all.  What is
 * given to a plan is this plan's alone until it is destroyed. */
int scanrt_plan_workspace_size(size_t *bytes, struct scanrt_context *context, const struct scanrt_problem *problem,
	const struct scanrt_plan_options *options);

/* Scans count elements of `in` into `out`, asynchronously, in stream order: one kernel launch, or the few that the
 * variant's strategy has; no allocation or synchronisation while the stream is captured.  (Else, after dozens of
 * launches of one block or cluster in a row, one execution makes a graph, which allocates.)  Pointers are aligned to
 * their element's size; out may equal in when both types have one size, but not overlap it.  Count 0 launches none. */
int scanrt_plan_execute(struct scanrt_plan *plan, void *out, const void *in, uint64_t count, void *stream);

/* Gives a user's operator another state, from the thread that executes.  SCANRT_ERROR_OPERATOR where it has none. */
int scanrt_plan_set_state(struct scanrt_plan *plan, const void *state);

enum scanrt_origin {
	SCANRT_ORIGIN_FORCED = 1,   /* pinned by an option or SCANRT_VARIANT */
	SCANRT_ORIGIN_TUNED = 2,    /* from the database, for this device and problem */
	SCANRT_ORIGIN_SIMILAR = 3,  /* from the database, for a relative of either */
	SCANRT_ORIGIN_DEFAULT = 4   /* compiled in */
};

/* How one count would be executed. */
struct scanrt_plan_description {
	size_t size;             /* sizeof(struct scanrt_plan_description), set by the caller */
	int origin;              /* enum scanrt_origin */
	int is_compiled;         /* 1: compiled when the plan was made; 0: the image came from a database */
	int64_t choice;          /* rowid in the database's table choice, or 0 */
	int registers;           /* per thread */
	int reserved;
	uint64_t shared_bytes;   /* per block */
	uint64_t low_count;      /* this variant serves counts from low_count to high_count */
	uint64_t high_count;
	char variant[160];       /* text form */
	char database[256];      /* the file that answered, or "" */
	char image_key[40];      /* hexadecimal */
};
#define SCANRT_PLAN_DESCRIPTION_INIT { sizeof(struct scanrt_plan_description), 0, 0, 0, 0, 0, 0, 0, 0, {0}, {0}, {0} }

/* Fills description for `count`, and, where text is not NULL, up to text_size bytes (always terminated) of a
 * readable account: the rules tried, the files read, and why each refused. */
int scanrt_plan_describe(const struct scanrt_plan *plan, uint64_t count, struct scanrt_plan_description *description,
	char *text, size_t text_size);

/* One call: a contiguous scan of one type.  The plan is made on first use and remembered per context, stream, type,
 * operator and mode; it grows with the count, outside of capture. */
int scanrt_scan(struct scanrt_context *context, int type, int op, int mode, void *out, const void *in, uint64_t count,
	void *stream);

/* The calling thread's last failure: the status, the codes of the layer that failed (0 where it was not involved)
 * and one sentence.  Valid until the thread's next call; so is a wrong question, NULL or too small, a failure. */
struct scanrt_error {
	size_t size;             /* sizeof(struct scanrt_error), set by the caller */
	int status;
	int cuda_result;         /* CUresult */
	int nvrtc_result;        /* nvrtcResult */
	int sqlite_code;
	char text[1024];
};
const char *scanrt_last_error(void);                  /* the sentence; "" after success */
int scanrt_last_error_details(struct scanrt_error *error);
const char *scanrt_strerror(int status);              /* what a status means, static text, never NULL */
int scanrt_version(void);                             /* major * 10000 + minor * 100 + patch of the library in use */

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
