/* SPDX-License-Identifier: MIT
 *
 * Other libraries' scans, as scantune compare and bench/table call them: a shared object that nvcc builds (peers.cu),
 * loaded into the process of the measurement, so that all contenders meet one clock, one context and one stream.
 * It exports one symbol, scanrt_peers.  C, and no CUDA header is needed.
 */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCANRT_PEERS_ABI 1
#define SCANRT_PEERS_SYMBOL "scanrt_peers"

struct scanrt_peer; /* one scan, ready to be enqueued */

/* What is to be scanned, in scantune's words; every array is contiguous and of one type. */
struct scanrt_peer_request {
	const char *type; /* "i32" */
	const char *op;   /* "sum" */
	int is_exclusive;
	uint64_t count;
};

/* Functions return 0, or a cudaError_t, or SCANRT_PEER_NONE.  The context of the measurement is current. */
#define SCANRT_PEER_NONE (-1) /* this library is not asked, or has no such scan */

struct scanrt_peers {
	int abi;                        /* SCANRT_PEERS_ABI */
	const char *(*name)(int index); /* "CUB 3.0", "Thrust 3.0"; NULL at the end */
	/* Allocates what the scan needs; nothing of that happens in enqueue(), which may be captured. */
	int (*open)(struct scanrt_peer **peer, int index, const struct scanrt_peer_request *request);
	int (*enqueue)(struct scanrt_peer *peer, void *out, const void *in, void *stream);
	void (*close)(struct scanrt_peer *peer); /* NULL is fine */
};

const struct scanrt_peers *scanrt_peers(void);

#ifdef __cplusplus
}
#endif
#endif
