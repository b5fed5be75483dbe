/* SPDX-License-Identifier: MIT
 *
 * The only file that reads the host's -D options.  It turns them into one Policy, which every template takes, and
 * holds the host to its own arithmetic.
 */
#ifndef SCAN_POLICY_CUH
#define SCAN_POLICY_CUH

#include "abi.h"
#include "monoids.cuh"
#include "operators.cuh"
#include "types.cuh"
#include "user.cuh"

#define SCAN_PASTE(a, b) a##b
#define SCAN_OPERATOR_TYPE(name) SCAN_PASTE(op_, name) /* "and" alone would be the token && */

namespace scan {

enum : int { warp_size = 32 };
enum : u32 { full_warp = 0xffffffffu };
/* Bulk copies are fast where the places at both ends are alike modulo so many bytes. */
enum : int { copy_line = 128 };

/* Those that other files than their own depend on; `other` is any other strategy of one launch: that of SCAN_FILE. */
enum class strategy { other = 0, block = 1, lookback = 2, lookahead = 3, cluster = 4, large = 9 };
enum class warp_scan_kind { shuffle = 1, shared = 2 };
enum class circuit { none = 0, warps = 1, chosen = 2 }; /* chosen: that of SCAN_CIRCUIT_FILE */
enum class access { plain = 1, stream = 2, bulk = 3, place = 4 };
enum class exchange_kind { warp = 1, block = 2 };

/* Constants are enumerators, or functions where their type is an enumeration: NVRTC makes a variable of the module of
 * each constexpr variable, used or not, and one such makes a driver allocate and copy when it loads the module. */
struct policy {
	using input = SCAN_INPUT;
	using value = SCAN_ACCUMULATOR;
	using output = SCAN_OUTPUT;
#ifdef SCAN_COUNT_APPLIES
	using op = op_counted<SCAN_OPERATOR_TYPE(SCAN_OPERATOR)>;
#else
	using op = SCAN_OPERATOR_TYPE(SCAN_OPERATOR);
#endif

	enum : bool { is_exclusive = bool(SCAN_EXCLUSIVE) };
	enum : bool { has_initial = bool(SCAN_INITIAL) };
	/* Conversions of the caller's; a pass over partial results has none. */
	enum : bool { has_load = user_facts::has_load, has_store = user_facts::has_store };
	static __device__ constexpr strategy how()
	{
		return SCAN_STRATEGY > 4 && SCAN_STRATEGY != 9 ? strategy::other : strategy(SCAN_STRATEGY);
	}
	static __device__ constexpr warp_scan_kind warp_scan() { return warp_scan_kind(SCAN_WARP_SCAN); }
	static __device__ constexpr circuit how_in_block()
	{
		return SCAN_CIRCUIT > 1 ? circuit::chosen : circuit(SCAN_CIRCUIT);
	}
	enum : int { fan = SCAN_FAN }; /* of the circuit raking */
	static __device__ constexpr access load() { return access(SCAN_LOAD); }
	static __device__ constexpr access store() { return access(SCAN_STORE); }

	enum : int { block = SCAN_BLOCK };   /* threads that scan */
	enum : int { items = SCAN_ITEMS };   /* elements a thread and tile */
	enum : int { vector = SCAN_VECTOR }; /* elements a thread moves at once */
	enum : int { rows = items / vector };
	enum : int { warps = block / warp_size };
	enum : int { slice = items * warp_size }; /* elements a warp and tile, contiguous */
	enum : int { lanes = SCAN_LANES > 0 ? SCAN_LANES : 1 }; /* of strategy::large: threads to an element */
	enum : int { tile = SCAN_TILE };
	/* Of look-ahead: a publisher, a loader, and a gather warp; wide values have several of these in turn, and a
	 * warp that stores. */
	enum : int { gather_warps = access(SCAN_STORE) == access::place ? SCAN_GATHER : 1 };
	enum : int { role_warps = strategy(SCAN_STRATEGY) != strategy::lookahead ? 0 :
		access(SCAN_STORE) == access::place ? 3 + gather_warps : 3 };
	enum : int { teams = SCAN_TEAMS > 0 ? SCAN_TEAMS : 1 }; /* of wide values; of `block` threads each */
	enum : int { threads = block * teams + role_warps * warp_size };
	enum : int { residency = SCAN_RESIDENCY };

	enum : int { stages = SCAN_STAGES };
	enum : int { ahead = SCAN_AHEAD };
	enum : int { gather = SCAN_GATHER };
	enum : int { cluster = SCAN_CLUSTER }; /* CTAs at most */
	static __device__ constexpr exchange_kind exchange() { return exchange_kind(SCAN_EXCHANGE); }
	enum : int { tile_words = SCAN_TILE_WORDS };
	/* Room for a tile that begins anywhere within a line, and a vector more; for bulk stores, for each warp's slice
	 * too. */
	enum : int { stage_slack = copy_line * (access(SCAN_STORE) == access::bulk ? warps : 1) + 16 };
	enum : int { stage_bytes = (tile * int(sizeof(input)) + stage_slack + 127) / 128 * 128 };
	/* Bulk stores of another element size than the loads' have room of their own for a tile of results. */
	enum : bool { scans_in_place = sizeof(input) == sizeof(output) };
	enum : int { results_bytes = access(SCAN_STORE) == access::bulk && !scans_in_place ?
		(tile * int(sizeof(output)) + copy_line + 127) / 128 * 128 : 0 };
	enum : int { shared_bytes = strategy(SCAN_STRATEGY) == strategy::lookahead ?
		stages * stage_bytes + results_bytes :
		access(SCAN_STORE) == access::bulk ?
		stage_bytes + results_bytes : /* of block and totals, which have one tile */
		/* large.cuh reckons its own again */
		strategy(SCAN_STRATEGY) == strategy::large ? SCAN_SHARED_BYTES : 0 };

	/* Full slices are scanned in shared memory and copied from there: in bulk, or by their warp before sm_90. */
	enum : bool { rakes = access(SCAN_STORE) == access::bulk };
	/* Values are combined in place in their stage, and warps go about in their own way (lookahead_wide.cuh). */
	enum : bool { is_wide = access(SCAN_STORE) == access::place };
};

enum : int { widest_element = sizeof(policy::input) > sizeof(policy::output) ? sizeof(policy::input) :
	sizeof(policy::output) };

static_assert(policy::block % warp_size == 0 && policy::block > 0, "block: not a multiple of the warp size");
static_assert(policy::threads <= 1024, "block: too many threads");
static_assert(policy::vector == 1 || policy::vector * widest_element <= SCAN_VECTOR_BYTES, "vector: too many bytes");
static_assert((policy::items % policy::vector == 0 || policy::how() == strategy::large) && policy::items > 0,
	"items: not a multiple of the vector");
static_assert(policy::tile == policy::block / policy::lanes * policy::items, "tile: host and device differ");
static_assert(policy::how() == strategy::large || policy::tile_words == (sizeof(policy::value) + 3) / 4,
	"tile_words: host and device differ");
static_assert(policy::shared_bytes == SCAN_SHARED_BYTES, "shared_bytes: host and device differ");
static_assert(policy::how() != strategy::lookahead || policy::stages > policy::ahead, "stages: not more than ahead");
static_assert(
	policy::how() != strategy::lookahead || (policy::ahead >= 1 && policy::gather >= 1), "ahead, gather: below 1");
static_assert(policy::store() != access::bulk || policy::how() == strategy::lookahead ||
		policy::how_in_block() == circuit::warps,
	"store: bulk is for lookahead, and for block and totals with circuit=warps");
static_assert(!policy::is_wide || policy::how() == strategy::lookahead, "store: place is for lookahead");
static_assert(!policy::is_wide || (same_type<policy::input, policy::value>::value &&
		same_type<policy::output, policy::value>::value && !user_facts::has_load && !user_facts::has_store),
	"store: place wants one type and no conversions");
static_assert(policy::teams == 1 || policy::is_wide, "teams: for store=place");
static_assert(policy::store() != access::bulk || policy::vector * widest_element == 16 ||
		(policy::vector == 1 && widest_element == 32), "store: bulk wants items that fill 16 bytes, or 32");
static_assert(policy::how() != strategy::lookahead || policy::how_in_block() == circuit::none,
	"circuit: lookahead has none");
static_assert(policy::residency >= 1, "residency: below 1");
static_assert(policy::how() != strategy::cluster || (policy::cluster >= 2 && policy::cluster <= 16),
	"cluster: not between 2 and 16");
#ifdef __CUDA_ARCH__
static_assert(policy::how() != strategy::cluster || __CUDA_ARCH__ >= 900, "cluster: needs sm_90 or later");
#endif

} // namespace scan

#define SCAN_KERNEL \
	extern "C" __global__ void __launch_bounds__(scan::policy::threads, scan::policy::residency) SCAN_ENTRY

/* A strategy of several launches has a kernel for each phase, so that the registers of one burden no other.  Their
 * names are the entry's with a suffix; the strategy's row on the host lists the suffixes. */
#define SCAN_PASTE_PHASE(entry, name) entry##_##name
#define SCAN_NAME_PHASE(entry, name) SCAN_PASTE_PHASE(entry, name)
#define SCAN_PHASE(name) \
	extern "C" __global__ void __launch_bounds__(scan::policy::threads, scan::policy::residency) \
		SCAN_NAME_PHASE(SCAN_ENTRY, name)(const __grid_constant__ scan_arguments arguments)

#endif
