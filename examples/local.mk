# SPDX-License-Identifier: MIT
#
# Built as a user builds them, from scanrt.h and libscanrt alone, and installed as text.
user_examples = examples/dual_numbers examples/running_statistics examples/selective_scan examples/state_machine \
	examples/string_hash
noinst_PROGRAMS += examples/emulated_test examples/line_index examples/prefix_sum $(user_examples)
exampledir = $(docdir)/examples
dist_example_DATA = examples/device_memory.h examples/emulated_test.c examples/line_index.c examples/prefix_sum.c \
	examples/user_scan.h examples/dual_numbers.c examples/running_statistics.c examples/selective_scan.c \
	examples/state_machine.c examples/string_hash.c examples/dual_numbers.problem \
	examples/running_statistics.problem examples/selective_scan.problem examples/state_machine.problem \
	examples/string_hash.problem

examples_emulated_test_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I$(srcdir)/lib
examples_emulated_test_LDADD = libscanrt.la -ldl
examples_line_index_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I$(srcdir)/lib
examples_line_index_LDADD = libscanrt.la -ldl
examples_prefix_sum_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I$(srcdir)/lib
examples_prefix_sum_LDADD = libscanrt.la -ldl
examples_dual_numbers_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I$(srcdir)/lib
examples_dual_numbers_LDADD = libscanrt.la -ldl -lm
examples_running_statistics_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I$(srcdir)/lib
examples_running_statistics_LDADD = libscanrt.la -ldl -lm
examples_selective_scan_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I$(srcdir)/lib
examples_selective_scan_LDADD = libscanrt.la -ldl -lm
examples_state_machine_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I$(srcdir)/lib
examples_state_machine_LDADD = libscanrt.la -ldl -lm
examples_string_hash_CPPFLAGS = -D_POSIX_C_SOURCE=200809L -I$(srcdir)/lib
examples_string_hash_LDADD = libscanrt.la -ldl -lm
