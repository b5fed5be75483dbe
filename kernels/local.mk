# SPDX-License-Identifier: MIT
#
# The device text.  Every file listed here goes to NVRTC as an in-memory header, and is hashed into every image's key.
kernel_files = \
	kernels/abi.h \
	kernels/bare_problem.cuh \
	kernels/batch_words.cuh \
	kernels/block.cuh \
	kernels/block_scan.cuh \
	kernels/circuit.cuh \
	kernels/circuit_brent_kung.cuh \
	kernels/circuit_brent_kung_in_place.cuh \
	kernels/circuit_kogge_stone.cuh \
	kernels/circuit_raking.cuh \
	kernels/circuit_warps.cuh \
	kernels/cluster.cuh \
	kernels/copy.cu \
	kernels/fan.cuh \
	kernels/lane_words.cuh \
	kernels/large.cuh \
	kernels/large_move.cuh \
	kernels/large_state.cuh \
	kernels/lookahead.cuh \
	kernels/lookahead_compute.cuh \
	kernels/lookahead_shared.cuh \
	kernels/lookahead_stage.cuh \
	kernels/lookahead_wide.cuh \
	kernels/lookback.cuh \
	kernels/lookback_serial.cuh \
	kernels/totals.cuh \
	kernels/memory.cuh \
	kernels/monoids.cuh \
	kernels/operators.cuh \
	kernels/paired_scan.cuh \
	kernels/passes.cuh \
	kernels/pipeline.cuh \
	kernels/policy.cuh \
	kernels/raked_results.cuh \
	kernels/raked_lane.cuh \
	kernels/raked_slice.cuh \
	kernels/raked_store.cuh \
	kernels/raked_tile.cuh \
	kernels/reference.cu \
	kernels/reduce.cuh \
	kernels/reduce_fixed.cuh \
	kernels/slice.cuh \
	kernels/staged_slice.cuh \
	kernels/tile_state.cuh \
	kernels/types.cuh \
	kernels/user.cuh \
	kernels/user_text.cuh \
	kernels/user_check.cu \
	kernels/user_try.cu \
	kernels/vector_scan.cuh \
	kernels/warp_scan.cuh \
	kernels/wide_slice.cuh \
	kernels/scan.cu

EXTRA_DIST += $(kernel_files) kernels/embed.sh
CLEANFILES += kernels/sources.c kernels/sources.c-t

nodist_libscanrt_core_la_SOURCES += kernels/sources.c

# Written under another name first, so that an interrupted build leaves no half of a file.
kernels/sources.c: $(kernel_files) kernels/embed.sh lib/embed_text.sh
	$(AM_V_GEN)$(MKDIR_P) kernels && \
	target=`pwd`/kernels/sources.c && \
	(cd $(srcdir) && $(SHELL) kernels/embed.sh $(kernel_files)) >"$$target-t" && \
	mv -f "$$target-t" "$$target"
