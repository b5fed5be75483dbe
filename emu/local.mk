# SPDX-License-Identifier: MIT
#
# The emulated device: a shared object beside libscanrt that exports the Driver API and a few symbols of counters.h.
# It includes nothing of lib/ and links nothing of it.
lib_LTLIBRARIES += libscanrt-emu.la

EMU_DRIVER_SOURCES = \
	emu/counters.h \
	emu/driver.h \
	emu/driver_attribute.c \
	emu/driver_capture.c \
	emu/driver_capture_query.c \
	emu/driver_clock.c \
	emu/driver_context.c \
	emu/driver_copy.c \
	emu/driver_counters.c \
	emu/driver_device.c \
	emu/driver_enter.c \
	emu/driver_error.c \
	emu/driver_event.c \
	emu/driver_function.c \
	emu/driver_graph.c \
	emu/driver_graph_node.c \
	emu/driver_handle.c \
	emu/driver_inject.c \
	emu/driver_launch.c \
	emu/driver_library.c \
	emu/driver_linker.c \
	emu/driver_log.c \
	emu/driver_memory.c \
	emu/driver_model.c \
	emu/driver_module.c \
	emu/driver_occupancy.c \
	emu/driver_primary.c \
	emu/driver_proc.c \
	emu/driver_proc.def \
	emu/driver_ptsz.c \
	emu/driver_ptsz.def \
	emu/driver_settings.c \
	emu/driver_stream.c \
	emu/driver_work.c

# The parser and the interpreter.  Registers are arrays of bytes that each instruction sees as what it needs, and
# rounding modes change while floats are computed.
EMU_MACHINE_SOURCES = \
	emu/access.c \
	emu/access.h \
	emu/alu_approximate.c \
	emu/alu_bits.c \
	emu/alu_carry.c \
	emu/alu_double.c \
	emu/alu_float.c \
	emu/alu_half.c \
	emu/alu_integer.c \
	emu/alu_logic.c \
	emu/arena.c \
	emu/arena.h \
	emu/async.c \
	emu/async.h \
	emu/async_run.c \
	emu/atomic.c \
	emu/barrier.c \
	emu/buffer.c \
	emu/buffer.h \
	emu/builtin.c \
	emu/builtin.h \
	emu/call.c \
	emu/choose.c \
	emu/clock.c \
	emu/clock.h \
	emu/cluster.c \
	emu/cluster.h \
	emu/code.h \
	emu/collective.c \
	emu/compare.c \
	emu/control.c \
	emu/control.h \
	emu/convert.c \
	emu/count.c \
	emu/cta.c \
	emu/cta.h \
	emu/declare.c \
	emu/decode.c \
	emu/decode.h \
	emu/decode_async.c \
	emu/fault.c \
	emu/fetch.c \
	emu/finish.c \
	emu/frames.c \
	emu/function.c \
	emu/history.c \
	emu/initial.c \
	emu/lanes.h \
	emu/launch.c \
	emu/lex.c \
	emu/lex.h \
	emu/liveness.c \
	emu/liveness.h \
	emu/machine.h \
	emu/mbarrier.c \
	emu/mbarrier.h \
	emu/memory.c \
	emu/memory.h \
	emu/module.c \
	emu/module.h \
	emu/move.c \
	emu/numbers.c \
	emu/numbers.h \
	emu/operand.c \
	emu/order.c \
	emu/order.h \
	emu/parse.c \
	emu/parse.h \
	emu/print.c \
	emu/print.h \
	emu/race.c \
	emu/race.h \
	emu/race_cluster.c \
	emu/race_global.c \
	emu/race_order.c \
	emu/race_shared.c \
	emu/schedule.c \
	emu/schedule.h \
	emu/select.c \
	emu/slots.c \
	emu/special.c \
	emu/special.h \
	emu/state.h \
	emu/store_async.c \
	emu/stuck.c \
	emu/symbol.c \
	emu/sync.h \
	emu/transfer.c \
	emu/transfer_partial.c \
	emu/transfer_region.c \
	emu/undefined.c \
	emu/undefined.h \
	emu/warp.c

# A library of its own, so that tests get at it without the driver around it.
noinst_LTLIBRARIES += libemu-machine.la
libemu_machine_la_SOURCES = $(EMU_MACHINE_SOURCES)
libemu_machine_la_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir)/emu $(CUDA_CPPFLAGS)
libemu_machine_la_CFLAGS = $(AM_CFLAGS) -fno-strict-aliasing -frounding-math
libemu_machine_la_LIBADD = -lm -lpthread

libscanrt_emu_la_SOURCES = $(EMU_DRIVER_SOURCES)
libscanrt_emu_la_CPPFLAGS = $(libemu_machine_la_CPPFLAGS)
libscanrt_emu_la_CFLAGS = $(AM_CFLAGS)
libscanrt_emu_la_LIBADD = libemu-machine.la
libscanrt_emu_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -export-symbols-regex '^(cu[A-Z]|scanrtEmu)'

# The loader looks for it beside the program: so scantune --device emu works in the build folder, too.
all-local: libscanrt-emu.so
libscanrt-emu.so: libscanrt-emu.la
	$(AM_V_at)ln -sf .libs/libscanrt-emu.so $@
CLEANFILES += libscanrt-emu.so
