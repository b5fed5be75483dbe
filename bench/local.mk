# SPDX-License-Identifier: MIT
#
# Comparison with peers.  Not part of `all`: it wants nvcc, and a GPU to mean anything.
#   make bench                                        both programs, and the timing of driver calls
#   make bench NVCC=/opt/cuda/bin/nvcc NVCC_ARCH=-arch=native CCCL=$HOME/cccl
# CCCL names a checkout or an unpacked wheel of NVIDIA/cccl, to compare with a CUB newer than the toolkit's.
EXTRA_PROGRAMS = bench/first_scan bench/emulated
bench_first_scan_SOURCES = bench/first_scan.c examples/device_memory.h
bench_first_scan_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I$(srcdir)/lib
bench_first_scan_LDADD = libscanrt.la -ldl
bench_emulated_SOURCES = bench/emulated.c tests/emu/emulated.c tests/emu/emulated.h
bench_emulated_LDADD = $(device_libraries)

# A driver in front of the driver, for first_scan; it is loaded and never linked.
bench/driver_calls.so: bench/driver_calls.c
	$(MKDIR_P) bench
	$(CC) $(DEFS) -D_GNU_SOURCE $(CUDA_CPPFLAGS) $(AM_CFLAGS) $(CFLAGS) -fPIC -shared -o $@ \
		$(srcdir)/bench/driver_calls.c -ldl

EXTRA_DIST += bench/driver_calls.c bench/peers.cu bench/timing.cuh bench/pack.sh bench/h200.sh bench/results/README.md
CLEANFILES += bench/driver_calls.so bench/first_scan bench/emulated bench/peers

NVCC = nvcc
NVCC_ARCH = -arch=sm_90
CCCL =

# The library is shared: a new one needs no new program.
bench/peers: bench/peers.cu bench/timing.cuh | libscanrt.la
	$(MKDIR_P) bench
	cccl='$(CCCL)'; \
	includes="$${cccl:+-I$$cccl/include -I$$cccl/cub -I$$cccl/thrust -I$$cccl/libcudacxx/include}"; \
	$(NVCC) -std=c++17 -O3 $(NVCC_ARCH) $$includes -I$(srcdir)/lib -cudart static -o $@ $(srcdir)/bench/peers.cu \
		.libs/libscanrt.so -Xlinker -rpath -Xlinker '$$ORIGIN/../lib'

bench: bench/driver_calls.so bench/first_scan bench/peers
.PHONY: bench
