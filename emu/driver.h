/* SPDX-License-Identifier: MIT
 *
 * The driver side of the emulated device: what stands behind the handles of the Driver API.
 *
 * One lock guards everything; work runs on the calling thread, at the moment it is enqueued, so a stream is always
 * idle when a call returns and order within and across streams holds by itself.  What streams and events keep is a
 * modelled time (driver_clock.c) and, while capturing, the nodes that later work depends on.
 *
 * Functions are defined under their exported names (cuMemAlloc_v2): the bare names that cuda.h maps by macro are the
 * first ABI, with 32-bit sizes, and do not exist here.
 */
#ifndef EMU_DRIVER_H
#define EMU_DRIVER_H

#define __CUDA_API_VERSION_INTERNAL /* all versions under their own names, and no macros */
#include <cuda.h>

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "counters.h"
#include "machine.h"
#include "module.h"

/* Newer than the oldest headers that we build with; declared again where those have them. */
#if CUDA_VERSION < 12030
struct CUgraphEdgeData_st;
#define CUgraphEdgeData struct CUgraphEdgeData_st
#endif
#if CUDA_VERSION < 12040
struct CUgreenCtx_st;
#define CUgreenCtx struct CUgreenCtx_st *
#endif
#if CUDA_VERSION < 12050
struct CUctxCreateParams_st;
#define CUctxCreateParams struct CUctxCreateParams_st
#endif
CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags, CUdevice device);
CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext context);
CUresult cuCtxSynchronize_v2(CUcontext context);
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *green);
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
	const CUgraphNode **dependencies, const CUgraphEdgeData **edges, size_t *count);
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *needs, CUgraphEdgeData *edges, size_t *count);
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end);
CUresult cuFuncGetName(const char **name, CUfunction function);
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes);
CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module);

#define PTSZ(name, parameters, arguments) CUresult name##_ptsz parameters;
#include "driver_ptsz.def"
#undef PTSZ

#define EMU_DRIVER_VERSION 13000
#define EMU_MAX_DEVICES 16

/* A GPU by its published limits and, below, what the time model knows of it. */
struct emu_model {
	const char *key; /* value of SCANRT_EMU_MODEL */
	const char *name;
	int capability_major;
	int capability_minor;
	int sm_count;
	int sm_clock_khz;
	int memory_clock_khz;
	int memory_bus_bits;
	int l2_bytes;
	int shared_per_sm;
	int shared_per_block;  /* opted in */
	int reserved_shared;   /* per block */
	int registers_per_sm;
	int threads_per_sm;
	int blocks_per_sm;
	int has_ecc;
	int has_clusters;
	double dram_bytes_per_ns;  /* what a copy reaches, not the peak of the data sheet */
	double l2_bytes_per_ns;
	double launch_ns;          /* an empty kernel in a graph */
	double enqueue_ns;         /* host time of one launch call */
	double memory_latency_ns;
};

struct emu_device {
	const struct emu_model *model;
	int ordinal;
	int sm_count;           /* the model's, or SCANRT_EMU_SMS */
	uint64_t memory_bytes;
	struct emu_machine *machine; /* created with the first context */
	double busy_until;      /* modelled ns: kernels of all streams follow one another */
	struct CUctx_st *primary;
	unsigned int primary_flags;
	unsigned int primary_retains;
};

struct CUctx_st {
	struct emu_device *device;
	unsigned int flags;
	bool is_primary;
	CUresult sticky;        /* the fault that every later call returns, or CUDA_SUCCESS */
	size_t limits[CU_LIMIT_MAX];
	struct CUstream_st *legacy;
	struct CUstream_st *streams; /* all, the legacy and per-thread ones included */
	struct CUevent_st *events;
	struct CUmod_st *modules;
	struct CUctx_st *next;
};

struct CUstream_st {
	struct CUctx_st *context;
	unsigned int flags;
	int priority;
	unsigned long long id;
	bool is_legacy;
	bool is_per_thread;
	pthread_t thread;       /* whose, where is_per_thread */
	double ready;           /* modelled ns when all its work is done */
	struct emu_capture *capture;
	struct CUgraphNode_st **tails; /* what the next captured node depends on */
	size_t tail_count;
	struct CUstream_st *next;
};

struct CUevent_st {
	struct CUctx_st *context;
	unsigned int flags;
	bool is_recorded;
	double time;
	struct emu_capture *capture;   /* recorded while capturing: the event stands for `nodes` */
	unsigned long long capture_id; /* tells a later capture at the same address */
	struct CUgraphNode_st **nodes;
	size_t node_count;
	struct CUevent_st *next;
};

struct CUmod_st {
	struct CUctx_st *context;
	struct emu_module *code;
	struct CUfunc_st *functions;
	struct CUmod_st *next;
};

struct CUfunc_st {
	struct CUmod_st *module;
	const struct emu_entry *code;
	struct emu_entry_facts facts;
	int max_dynamic_shared;
	int carveout;
	int is_nonportable_cluster_allowed;
	struct CUfunc_st *next;
};

enum emu_work_kind { EMU_WORK_KERNEL, EMU_WORK_MEMSET, EMU_WORK_MEMCPY, EMU_WORK_HOST, EMU_WORK_EMPTY };

/* One launch, with its parameters copied. */
struct emu_kernel_launch {
	struct CUfunc_st *function;
	unsigned int grid[3];
	unsigned int block[3];
	unsigned int cluster[3];
	unsigned int shared_bytes;
	bool is_cooperative;
	unsigned char *parameters;
	size_t parameter_bytes;
};

struct emu_memset {
	CUdeviceptr target;
	unsigned int value;
	unsigned int element_bytes; /* 1, 2 or 4 */
	size_t width;               /* elements a row */
	size_t height;
	size_t pitch;               /* bytes from row to row */
};

/* Where a pointer is given as host memory it is a host address, whatever it is for unified addressing. */
struct emu_memcpy {
	CUdeviceptr to_device;
	CUdeviceptr from_device;
	void *to_host;
	const void *from_host;
	size_t bytes;
};

/* What a stream executes or a graph keeps. */
struct emu_work {
	enum emu_work_kind kind;
	struct emu_kernel_launch launch;
	struct emu_memset memset;
	struct emu_memcpy memcpy;
	CUhostFn host_function;
	void *host_data;
};

struct CUgraphNode_st {
	struct CUgraph_st *graph;
	struct emu_work work;
	struct CUgraphNode_st **needs;
	size_t need_count;
	bool is_marked;              /* by whoever walks the graph */
};

struct CUgraph_st {
	struct CUgraphNode_st **nodes; /* in order of creation: edges lead to earlier ones only */
	size_t node_count;
	size_t node_capacity;
	struct CUctx_st *context;
	bool is_capturing;  /* still owned by a capture */
};

struct CUgraphExec_st {
	struct CUctx_st *context;
	struct emu_work *works; /* in an order that respects the edges */
	size_t work_count;
};

/* A capture in progress: one origin stream, and those that joined through events. */
struct emu_capture {
	struct CUgraph_st *graph;
	struct CUstream_st *origin;
	CUstreamCaptureMode mode;
	CUstreamCaptureStatus status;
	pthread_t thread;
	unsigned long long id;
	struct emu_capture *next;
};

/* driver_enter.c: every exported function is emu_enter, its own work, emu_leave. */
enum emu_need {
	EMU_NEED_NOTHING,
	EMU_NEED_INIT,     /* cuInit succeeded in this process */
	EMU_NEED_CONTEXT,  /* and a context is current, free of a sticky error */
	EMU_NEED_UNSAFE    /* and no capture forbids what might synchronise */
};
CUresult emu_enter(const char *function, enum emu_need need); /* takes the lock, whatever it returns */
CUresult emu_leave(CUresult result);                          /* releases it and returns result */
void emu_lock(void);   /* for what is no driver call */
void emu_unlock(void);
void emu_callback_begin(void); /* calls of this thread fail with NOT_PERMITTED until emu_callback_end */
void emu_callback_end(void);
void emu_initialised(void);    /* cuInit succeeded in this process */
bool emu_is_initialised(void);

/* driver_inject.c */
CUresult emu_inject(const char *function); /* counts the call; the code that it is to fail with, or CUDA_SUCCESS */
void emu_inject_parse(const char *specification);
bool emu_inject_is_good(void); /* every rule of the latest specification, or of the environment's, is one */

/* driver_settings.c */
bool emu_settings_check(void); /* false: a variable of the environment is no good, which has been said */
uint64_t emu_environment_number(const char *name, uint64_t otherwise); /* 4096, 64K, 512M, 2G */
#define EMU_ADDRESSES_PER_DEVICE UINT64_C(0x10000000000)

/* driver_proc.c */
bool emu_proc_exists(const char *name); /* without version suffix */

/* driver_handle.c: which pointers are live handles, so that a stale one is an error and not a crash. */
enum emu_handle_kind {
	EMU_HANDLE_CONTEXT = 1, EMU_HANDLE_STREAM, EMU_HANDLE_EVENT, EMU_HANDLE_MODULE, EMU_HANDLE_FUNCTION,
	EMU_HANDLE_GRAPH, EMU_HANDLE_NODE, EMU_HANDLE_EXEC, EMU_HANDLE_LINK, EMU_HANDLE_LIBRARY, EMU_HANDLE_KERNEL
};
bool emu_handle_add(enum emu_handle_kind kind, const void *handle); /* false: out of memory */
void emu_handle_remove(const void *handle);
bool emu_handle_is(enum emu_handle_kind kind, const void *handle);

/* driver_model.c and driver_device.c */
const struct emu_model *emu_model_find(const char *key);       /* NULL where unknown; NULL gives the default */
int emu_device_count(void);
struct emu_device *emu_device_get(CUdevice device);             /* NULL where there is none */
CUresult emu_devices_open(void);
CUresult emu_device_open(struct emu_device *device);            /* creates its machine when first needed */

/* driver_context.c */
struct CUctx_st *emu_context_current(void);                     /* NULL where none */
struct CUctx_st *emu_context_create(struct emu_device *device, unsigned int flags);
void emu_context_destroy(struct CUctx_st *context);
CUresult emu_context_fault(struct CUctx_st *context, CUresult code); /* makes code sticky and returns it */
bool emu_result_is_sticky(CUresult code);

/* driver_memory.c */
struct emu_machine *emu_machine_of(CUdeviceptr address); /* whose allocation it is in; NULL where nobody's */
void emu_context_free_memory(struct CUctx_st *context); /* frees what a dying context allocated */

/* driver_work.c: running, copying and freeing one piece of work */
CUresult emu_work_submit(struct CUstream_st *stream, const struct emu_work *work); /* runs it, or captures it */
CUresult emu_work_run(struct CUstream_st *stream, const struct emu_work *work, bool is_in_graph);
bool emu_work_copy(struct emu_work *into, const struct emu_work *from);
void emu_work_free(struct emu_work *work);
CUresult emu_memset_check(const struct emu_memset *memset);
CUresult emu_memcpy_check(const struct emu_memcpy *copy);

/* driver_function.c */
void emu_function_init(struct CUfunc_st *function); /* once its code is known */

/* driver_launch.c */
/* Copies the parameters and checks the rest; the caller frees by emu_work_free. */
CUresult emu_kernel_prepare(struct emu_kernel_launch *launch, void *const *parameters, void *const *extra);
CUresult emu_kernel_run(struct CUstream_st *stream, const struct emu_kernel_launch *launch, bool is_in_graph);

/* driver_stream.c */
CUresult emu_stream_find(struct CUstream_st **stream, CUstream handle); /* NULL and the special handles resolved */
void emu_stream_free(struct CUstream_st *stream);
CUresult emu_stream_set_tails(struct CUstream_st *stream, struct CUgraphNode_st *const *nodes, size_t count);

/* driver_event.c */
void emu_event_free(struct CUevent_st *event);

/* driver_capture.c */
CUresult emu_capture_check_unsafe(void);                     /* for the calling thread, by the modes in force */
CUresult emu_capture_check_legacy(struct CUctx_st *context); /* the legacy stream is used: nobody may be capturing */
CUresult emu_capture_check_sync(struct CUstream_st *stream); /* a synchronising call on this stream */
CUresult emu_capture_add(struct CUstream_st *stream, const struct emu_work *work);
CUresult emu_capture_join(struct CUstream_st *stream, const struct CUevent_st *event);
void emu_capture_forget_stream(struct CUstream_st *stream);
bool emu_capture_is_live(const struct emu_capture *capture, unsigned long long id);
bool emu_capture_is_implied(const struct CUctx_st *context); /* use of the legacy stream would be refused */
CUstreamCaptureMode emu_capture_exchange_mode(CUstreamCaptureMode mode); /* the calling thread's; gives the former */

/* driver_graph.c */
struct CUgraph_st *emu_graph_create(struct CUctx_st *context);
void emu_graph_free(struct CUgraph_st *graph);
CUresult emu_graph_add(struct CUgraphNode_st **node, struct CUgraph_st *graph, struct CUgraphNode_st *const *needs,
	size_t need_count, const struct emu_work *work);

/* driver_module.c and driver_linker.c */
#define EMU_IMAGE_MAGIC "scanrt-emu image 1\n" /* what the linker returns begins so; PTX follows */
CUresult emu_image_check(const void *image);       /* that it is not machine code */
CUresult emu_module_open(struct CUmod_st **module, const void *image); /* into the current context */
CUresult emu_module_function(struct CUfunc_st **function, struct CUmod_st *module, const char *name);
void emu_module_free(struct CUmod_st *module);
struct emu_jit_log {
	char *error_text;
	size_t error_size;
	char *info_text;
	size_t info_size;
};
struct emu_jit_log emu_jit_log(unsigned int count, const CUjit_option *options, void *const *values);
void emu_jit_log_finish(unsigned int count, const CUjit_option *options, void **values, const struct emu_jit_log *log,
	const char *error);

/* driver_clock.c: modelled time, in ns */
void emu_clock_enqueue(const struct CUstream_st *stream);              /* the host's share of one launch call */
double emu_clock_kernel(struct CUstream_st *stream, const struct emu_kernel_launch *launch,
	const struct emu_counters *counters, bool is_in_graph);               /* returns how long it took */
void emu_clock_bytes(struct CUstream_st *stream, uint64_t bytes, bool crosses_bus);
double emu_clock_stamp(struct CUstream_st *stream);                   /* an event reached the stream */
void emu_clock_wait(double time);                                     /* the host waits until then */
void emu_clock_synchronize(const struct CUstream_st *stream);         /* or until the stream has finished */

/* driver_counters.c */
void emu_counters_record(const struct emu_kernel_launch *launch, const struct emu_result *outcome, double model_ns);

/* driver_log.c */
FILE *emu_open_named(const char *variable, bool *is_writable); /* to append to; NULL: not set, "off" or not writable */
void emu_fault_report(const char *text);
void emu_fault_forget(void);
void emu_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
