# SPDX-License-Identifier: MIT
#
# Comparison with peers.  Not part of `all`: it wants nvcc, and a GPU to mean anything.
#   make bench                                        the programs, the peers, and the timing of driver calls
#   make bench NVCC=/opt/cuda/bin/nvcc NVCC_ARCH=-arch=native CCCL=$HOME/cccl
# CCCL, or configure's --with-cccl, names a checkout or an unpacked wheel of NVIDIA/cccl, to compare with a CUB newer
# than the toolkit's.
EXTRA_PROGRAMS = bench/first_scan bench/emulated
bench_first_scan_SOURCES = bench/first_scan.c examples/device_memory.h
bench_first_scan_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I$(srcdir)/lib
bench_first_scan_LDADD = libscanrt.la -ldl
bench_emulated_SOURCES = bench/emulated.c tests/emu/emulated.c tests/emu/emulated.h
bench_emulated_LDADD = $(device_libraries)

# Every target on the device at hand (table.h).  Its kernels are embedded as the library's are.
check_PROGRAMS += bench/table
bench_table_SOURCES = \
	bench/arena.c bench/cases.c bench/contenders.c bench/counts.c bench/host.c bench/open.c bench/report.c \
	bench/row.c bench/table.c bench/table.h bench/user.c \
	tuner/contest.c tuner/json.c tuner/lines.c tuner/lists.c tuner/names.c tuner/peers.c tuner/statistics.c
nodist_bench_table_SOURCES = bench/data.c
bench_table_LDADD = libscanrt-core.la
bench/data.c: bench/data.cu bench/user_data.cu kernels/embed.sh
	$(AM_V_GEN)$(MKDIR_P) bench && (cd $(srcdir) && $(SHELL) kernels/embed.sh bench/data.cu bench/user_data.cu) | \
		sed 's/srt_sources/bench_sources/' >$@-t && mv -f $@-t $@
EXTRA_DIST += bench/data.cu bench/user_data.cu
CLEANFILES += bench/data.c bench/data.c-t

# A driver in front of the driver, for first_scan; it is loaded and never linked.
bench/driver_calls.so: bench/driver_calls.c
	$(MKDIR_P) bench
	$(CC) $(DEFS) -D_GNU_SOURCE $(CUDA_CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -fPIC -shared -o $@ \
		$(srcdir)/bench/driver_calls.c -ldl

# Scans of CUB and Thrust, as a shared object that scantune compare and bench/table load.  Three parts, since each takes
# nvcc the better part of a minute.
peers_objects = bench/peers.o bench/peers_narrow.o bench/peers_wide.o
NVCC_ARCH = -arch=sm_90
nvcc_flags = -std=c++17 -O3 $(NVCC_ARCH) $(cccl_includes) -Xcompiler -fPIC,-fvisibility=hidden -cudart static
cccl_includes = $${CCCL:+-I$$CCCL/include -I$$CCCL/cub -I$$CCCL/thrust -I$$CCCL/libcudacxx/include}
$(peers_objects) bench/peers_user.o: bench/%.o: bench/%.cu bench/peers.h bench/peers_scan.cuh
	$(AM_V_GEN)$(MKDIR_P) bench && CCCL='$(CCCL)' && $(NVCC) $(nvcc_flags) -c -o $@ $(srcdir)/bench/$*.cu
bench/peers.so: $(peers_objects)
	$(AM_V_GEN)$(NVCC) $(NVCC_ARCH) -cudart static -shared -o $@ $(peers_objects)
# Structures and operators of the table's section user.
bench/peers_user.so: bench/peers_user.o
	$(AM_V_GEN)$(NVCC) $(NVCC_ARCH) -cudart static -shared -o $@ bench/peers_user.o

EXTRA_DIST += bench/driver_calls.c bench/peers.cu bench/peers.h bench/peers_narrow.cu bench/peers_scan.cuh \
	bench/peers_user.cu bench/peers_wide.cu bench/pack.sh bench/h200.sh bench/results/README.md
CLEANFILES += bench/driver_calls.so bench/first_scan bench/emulated bench/peers.so $(peers_objects) \
	bench/peers_user.so bench/peers_user.o

bench: bench/driver_calls.so bench/first_scan bench/table bench/peers.so bench/peers_user.so
# Where scantune compare of the installation finds it.
install-bench: bench/peers.so
	$(MKDIR_P) '$(DESTDIR)$(libexecdir)/scanrt'
	$(INSTALL_PROGRAM) bench/peers.so '$(DESTDIR)$(libexecdir)/scanrt/peers.so'
.PHONY: bench install-bench
