# SPDX-License-Identifier: MIT
#
# Tests on a device.  Where there is none they skip, and say why; SCANRT_REQUIRE_GPU=1 makes that a failure.  The tier
# emu runs the same programs on the emulated device.
check_LTLIBRARIES += tests/libdevice.la
tests_libdevice_la_SOURCES = \
	tests/bits.c tests/bits.h \
	tests/device.c tests/device.h \
	tests/device_public.c \
	tests/device_scan.c \
	tests/element.c tests/element.h \
	tests/reference.c tests/reference.h \
	tests/reference_data.c \
	tests/shape.c tests/shape.h \
	tests/shape_scan.c tests/shape_scan.h \
	tests/span.c tests/span.h

gpu_programs = \
	tests/gpu/grid_block \
	tests/gpu/grid_circuits \
	tests/gpu/grid_cluster \
	tests/gpu/grid_lookback \
	tests/gpu/grid_lookahead \
	tests/gpu/grid_lookback_serial \
	tests/gpu/grid_totals \
	tests/gpu/grid_fan \
	tests/gpu/grid_reduce \
	tests/gpu/grid_reduce_fixed \
	tests/gpu/placement \
	tests/gpu/self_test \
	tests/gpu/epochs \
	tests/gpu/alignment \
	tests/gpu/repeat \
	tests/gpu/initial \
	tests/gpu/values \
	tests/gpu/stress \
	tests/gpu/operators \
	tests/gpu/plans \
	tests/gpu/host \
	tests/gpu/replay \
	tests/gpu/images \
	tests/gpu/instructions \
	tests/gpu/chains \
	tests/gpu/defaults \
	tests/gpu/reproducible \
	tests/gpu/damaged \
	tests/gpu/order \
	tests/gpu/monoids \
	tests/gpu/indexed \
	tests/gpu/state \
	tests/gpu/user_types
check_PROGRAMS += $(gpu_programs)
GPU_TESTS += $(gpu_programs)

device_libraries = tests/libdevice.la $(LDADD)
tests_gpu_grid_block_SOURCES = tests/gpu/grid_block.c tests/gpu/grid.c tests/gpu/grid.h
tests_gpu_grid_circuits_SOURCES = tests/gpu/grid_circuits.c tests/gpu/grid.c tests/gpu/grid.h
tests_gpu_grid_lookback_SOURCES = tests/gpu/grid_lookback.c tests/gpu/grid.c tests/gpu/grid.h
tests_gpu_grid_lookahead_SOURCES = tests/gpu/grid_lookahead.c tests/gpu/grid.c tests/gpu/grid.h
tests_gpu_grid_cluster_SOURCES = tests/gpu/grid_cluster.c tests/gpu/grid.c tests/gpu/grid.h
tests_gpu_grid_reduce_fixed_SOURCES = tests/gpu/grid_reduce_fixed.c tests/gpu/grid.c tests/gpu/grid.h
tests_gpu_grid_reduce_SOURCES = tests/gpu/grid_reduce.c tests/gpu/grid.c tests/gpu/grid.h
tests_gpu_grid_fan_SOURCES = tests/gpu/grid_fan.c tests/gpu/grid.c tests/gpu/grid.h
tests_gpu_grid_lookback_serial_SOURCES = tests/gpu/grid_lookback_serial.c tests/gpu/grid.c tests/gpu/grid.h
tests_gpu_grid_totals_SOURCES = tests/gpu/grid_totals.c tests/gpu/grid.c tests/gpu/grid.h
tests_gpu_grid_block_LDADD = $(device_libraries)
tests_gpu_grid_circuits_LDADD = $(device_libraries)
tests_gpu_grid_cluster_LDADD = $(device_libraries)
tests_gpu_grid_lookback_LDADD = $(device_libraries)
tests_gpu_grid_lookahead_LDADD = $(device_libraries)
tests_gpu_grid_reduce_fixed_LDADD = $(device_libraries)
tests_gpu_grid_reduce_LDADD = $(device_libraries)
tests_gpu_grid_fan_LDADD = $(device_libraries)
tests_gpu_grid_lookback_serial_LDADD = $(device_libraries)
tests_gpu_grid_totals_LDADD = $(device_libraries)
tests_gpu_placement_LDADD = $(device_libraries)
tests_gpu_self_test_LDADD = $(device_libraries)
tests_gpu_epochs_LDADD = $(device_libraries)
tests_gpu_alignment_LDADD = $(device_libraries)
tests_gpu_repeat_LDADD = $(device_libraries)
tests_gpu_initial_LDADD = $(device_libraries)
tests_gpu_values_LDADD = $(device_libraries)
tests_gpu_stress_LDADD = $(device_libraries)
tests_gpu_operators_LDADD = $(device_libraries)
tests_gpu_plans_LDADD = $(device_libraries)
tests_gpu_host_LDADD = $(device_libraries)
tests_gpu_replay_LDADD = $(device_libraries)
tests_gpu_images_LDADD = $(device_libraries)
tests_gpu_reproducible_LDADD = $(device_libraries)
tests_gpu_damaged_LDADD = $(device_libraries)
tests_gpu_order_SOURCES = tests/gpu/order.c tests/order.c tests/order.h
tests_gpu_order_LDADD = $(device_libraries)
tests_gpu_defaults_LDADD = $(device_libraries)
tests_gpu_monoids_LDADD = $(device_libraries)
tests_gpu_indexed_LDADD = $(device_libraries)
tests_gpu_state_LDADD = $(device_libraries)
tests_gpu_user_types_LDADD = $(device_libraries)
tests_gpu_chains_LDADD = $(device_libraries)
tests_gpu_instructions_SOURCES = tests/gpu/instructions.c tests/emu/instruction.c tests/emu/instruction.h \
	tests/emu/instruction_float.c tests/emu/instruction_integer.c
tests_gpu_instructions_LDADD = $(device_libraries)
