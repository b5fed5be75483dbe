# SPDX-License-Identifier: MIT
#
# The emulated device: its driver side, a program an area; and the programs of the tier gpu, run on it.
emu_programs = \
	tests/emu/driver_contexts \
	tests/emu/driver_devices \
	tests/emu/driver_faults \
	tests/emu/driver_graphs \
	tests/emu/driver_launches \
	tests/emu/driver_memory \
	tests/emu/driver_modules \
	tests/emu/driver_streams \
	tests/emu/driver_threads
check_PROGRAMS += $(emu_programs)
EMU_TESTS += $(emu_programs)

kernel_programs = \
	tests/emu/circuits \
	tests/emu/in_place \
	tests/emu/mutations \
	tests/emu/passes \
	tests/emu/schedules \
	tests/emu/traffic
check_PROGRAMS += $(kernel_programs)
EMU_TESTS += $(kernel_programs)

emu_kernel_test = tests/emu/emulated.c tests/emu/emulated.h
tests_emu_in_place_SOURCES = tests/emu/in_place.c $(emu_kernel_test)
tests_emu_in_place_LDADD = $(device_libraries)
tests_emu_circuits_SOURCES = tests/emu/circuits.c tests/emu/circuit_work.c tests/emu/circuit_work.h \
	$(emu_kernel_test)
tests_emu_circuits_LDADD = $(device_libraries)
tests_emu_mutations_SOURCES = tests/emu/mutations.c tests/emu/mutations_lookahead.c tests/emu/mutations_wide.c \
	tests/emu/mutant.c \
	tests/emu/mutant.h $(emu_kernel_test)
tests_emu_mutations_LDADD = $(device_libraries)
tests_emu_passes_SOURCES = tests/emu/passes.c $(emu_kernel_test)
tests_emu_passes_LDADD = $(device_libraries)
tests_emu_schedules_SOURCES = tests/emu/schedules.c $(emu_kernel_test)
tests_emu_schedules_LDADD = $(device_libraries)
tests_emu_traffic_SOURCES = tests/emu/traffic.c $(emu_kernel_test)
tests_emu_traffic_LDADD = $(device_libraries)

emu_driver_test = tests/emu/driver.c tests/emu/driver.h
tests_emu_driver_contexts_SOURCES = tests/emu/driver_contexts.c $(emu_driver_test)
tests_emu_driver_contexts_LDADD = tests/libtap.la
tests_emu_driver_devices_SOURCES = tests/emu/driver_devices.c $(emu_driver_test)
tests_emu_driver_devices_LDADD = tests/libtap.la
tests_emu_driver_faults_SOURCES = tests/emu/driver_faults.c $(emu_driver_test)
tests_emu_driver_faults_LDADD = tests/libtap.la
tests_emu_driver_graphs_SOURCES = tests/emu/driver_graphs.c $(emu_driver_test)
tests_emu_driver_graphs_LDADD = tests/libtap.la
tests_emu_driver_launches_SOURCES = tests/emu/driver_launches.c $(emu_driver_test)
tests_emu_driver_launches_LDADD = tests/libtap.la
tests_emu_driver_memory_SOURCES = tests/emu/driver_memory.c $(emu_driver_test)
tests_emu_driver_memory_LDADD = tests/libtap.la
tests_emu_driver_modules_SOURCES = tests/emu/driver_modules.c $(emu_driver_test)
tests_emu_driver_modules_LDADD = tests/libtap.la
tests_emu_driver_streams_SOURCES = tests/emu/driver_streams.c $(emu_driver_test)
tests_emu_driver_streams_LDADD = tests/libtap.la
tests_emu_driver_threads_SOURCES = tests/emu/driver_threads.c $(emu_driver_test)
tests_emu_driver_threads_LDADD = tests/libtap.la

emu_scripts = \
	tests/emu/alignment.sh \
	tests/emu/chains.sh \
	tests/emu/defaults.sh \
	tests/emu/epochs.sh \
	tests/emu/examples.sh \
	tests/emu/grid_block.sh \
	tests/emu/grid_circuits.sh \
	tests/emu/grid_cluster.sh \
	tests/emu/grid_lookahead.sh \
	tests/emu/grid_lookback.sh \
	tests/emu/grid_fan.sh \
	tests/emu/grid_lookback_serial.sh \
	tests/emu/grid_totals.sh \
	tests/emu/grid_reduce.sh \
	tests/emu/grid_reduce_fixed.sh \
	tests/emu/host.sh \
	tests/emu/replay.sh \
	tests/emu/images.sh \
	tests/emu/in_place_h200.sh \
	tests/emu/in_place_rtx4090.sh \
	tests/emu/in_place_t4.sh \
	tests/emu/initial.sh \
	tests/emu/lookup.sh \
	tests/emu/model_h200.sh \
	tests/emu/model_rtx4090.sh \
	tests/emu/model_t4.sh \
	tests/emu/monoids.sh \
	tests/emu/operators.sh \
	tests/emu/placement.sh \
	tests/emu/self_test.sh \
	tests/emu/plans.sh \
	tests/emu/problem.sh \
	tests/emu/repeat.sh \
	tests/emu/indexed.sh \
	tests/emu/damaged.sh \
	tests/emu/reproducible.sh \
	tests/emu/order.sh \
	tests/emu/order_rtx4090.sh \
	tests/emu/order_t4.sh \
	tests/emu/state.sh \
	tests/emu/stress.sh \
	tests/emu/table.sh \
	tests/emu/user_types.sh \
	tests/emu/user_types_t4.sh \
	tests/emu/values.sh tests/emu/vendor.sh
EMU_TESTS += $(emu_scripts)
EXTRA_DIST += $(emu_scripts) tests/emu/on_emulated.sh

# The machine below the driver: instructions against the host, and a kernel for each fault beside its corrected twin.
emu_machine_programs = \
	tests/emu/counters \
	tests/emu/faults_cluster \
	tests/emu/faults_memory \
	tests/emu/faults_order \
	tests/emu/instructions \
	tests/emu/language \
	tests/emu/parser
check_PROGRAMS += $(emu_machine_programs)
EMU_TESTS += $(emu_machine_programs)

emu_machine_test = tests/emu/machine.c tests/emu/machine.h
emu_machine_libraries = libemu-machine.la $(LDADD)
tests_emu_counters_SOURCES = tests/emu/counters.c $(emu_machine_test)
tests_emu_counters_LDADD = $(emu_machine_libraries)
tests_emu_faults_cluster_SOURCES = tests/emu/faults_cluster.c tests/emu/faults.c tests/emu/faults.h $(emu_machine_test)
tests_emu_faults_cluster_LDADD = $(emu_machine_libraries)
tests_emu_faults_memory_SOURCES = tests/emu/faults_memory.c tests/emu/faults.c tests/emu/faults.h $(emu_machine_test)
tests_emu_faults_memory_LDADD = $(emu_machine_libraries)
tests_emu_faults_order_SOURCES = tests/emu/faults_order.c tests/emu/faults.c tests/emu/faults.h $(emu_machine_test)
tests_emu_faults_order_LDADD = $(emu_machine_libraries)
emu_instruction_test = tests/emu/instruction.c tests/emu/instruction.h tests/emu/instruction_float.c \
	tests/emu/instruction_integer.c
tests_emu_instructions_SOURCES = tests/emu/instructions.c $(emu_instruction_test) $(emu_machine_test)
tests_emu_instructions_LDADD = $(emu_machine_libraries)
tests_emu_language_SOURCES = tests/emu/language.c $(emu_machine_test)
tests_emu_language_LDADD = $(emu_machine_libraries)
tests_emu_parser_SOURCES = tests/emu/parser.c $(emu_machine_test)
tests_emu_parser_LDADD = $(emu_machine_libraries)
EXTRA_DIST += tests/emu/fuzz_ptx.c
