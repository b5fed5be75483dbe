# SPDX-License-Identifier: MIT
#
# Built as a user builds them, from scanrt.h and libscanrt alone, and installed as text.
noinst_PROGRAMS += examples/emulated_test examples/line_index examples/prefix_sum
exampledir = $(docdir)/examples
dist_example_DATA = examples/device_memory.h examples/emulated_test.c examples/line_index.c examples/prefix_sum.c

examples_emulated_test_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I$(srcdir)/lib
examples_emulated_test_LDADD = libscanrt.la -ldl
examples_line_index_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I$(srcdir)/lib
examples_line_index_LDADD = libscanrt.la -ldl
examples_prefix_sum_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I$(srcdir)/lib
examples_prefix_sum_LDADD = libscanrt.la -ldl
