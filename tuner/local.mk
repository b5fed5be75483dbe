# SPDX-License-Identifier: MIT
bin_PROGRAMS += scantune
scantune_SOURCES = \
	tuner/again.c \
	tuner/audit.c \
	tuner/bench.c \
	tuner/candidates.c \
	tuner/check_operator.c \
	tuner/choices_text.c tuner/choices_text.h \
	tuner/choices_write.c \
	tuner/classes.c tuner/classes.h \
	tuner/columns.h \
	tuner/compare.c tuner/compare.h \
	tuner/compare_print.c \
	tuner/compare_rows.c \
	tuner/compare_vary.c \
	tuner/contest.c tuner/contest.h \
	tuner/counters.c tuner/counters.h \
	tuner/crossover.c \
	tuner/data.c tuner/data.h \
	tuner/decision.c \
	tuner/diff.c tuner/diff.h \
	tuner/dry_run.c tuner/dry_run.h \
	tuner/described.c \
	tuner/devices.c \
	tuner/draft.h \
	tuner/doctor.c \
	tuner/explore.c \
	tuner/fault.c \
	tuner/fixed_order.c tuner/fixed_order.h \
	tuner/gains.c tuner/gains.h \
	tuner/gpu.c tuner/gpu.h \
	tuner/gpu_check.c \
	tuner/gpu_described.c \
	tuner/half.c tuner/half.h \
	tuner/json.c tuner/json.h \
	tuner/kept.c tuner/kept.h \
	tuner/layout.c tuner/layout.h \
	tuner/knockout.c tuner/knockout.h \
	tuner/known.c \
	tuner/listing.c \
	tuner/lines.c tuner/lines.h \
	tuner/lists.c tuner/lists.h \
	tuner/main.c \
	tuner/maintain.c \
	tuner/measure.c \
	tuner/messages.h \
	tuner/names.c \
	tuner/monitor.c tuner/monitor.h \
	tuner/neighbours.c tuner/neighbours.h \
	tuner/operands.c \
	tuner/options.c tuner/options.h \
	tuner/peers.c tuner/peers.h bench/peers.h \
	tuner/plot.c \
	tuner/pool.c tuner/pool.h \
	tuner/problem_file.c tuner/problem_file.h \
	tuner/process.c tuner/process.h \
	tuner/race.c \
	tuner/record.c tuner/record.h \
	tuner/reference.c tuner/reference.h \
	tuner/report.c tuner/report.h \
	tuner/resume.c tuner/resume.h \
	tuner/search.c tuner/search.h \
	tuner/session.c tuner/session.h \
	tuner/space.c tuner/space.h \
	tuner/spelling.c tuner/spelling.h \
	tuner/stated.c tuner/stated.h \
	tuner/statistics.c tuner/statistics.h \
	tuner/trial.c \
	tuner/trials.c \
	tuner/tune.c tuner/tune.h \
	tuner/twin.c tuner/twin.h \
	tuner/usage.c \
	tuner/values.c \
	tuner/vendor.c \
	tuner/verify.c \
	tuner/verify_large.c \
	tuner/why.c \
	tuner/winners.c \
	tuner/wire.c tuner/wire.h \
	tuner/worker_compile.c \
	tuner/worker_gpu.c
scantune_LDADD = libscanrt-core.la

# Where bash-completion looks; see its README.
completiondir = $(datadir)/bash-completion/completions
EXTRA_DIST += tuner/scantune.bash
install-data-local: install-completion
uninstall-local: uninstall-completion
.PHONY: install-completion uninstall-completion
install-completion:
	$(MKDIR_P) '$(DESTDIR)$(completiondir)'
	$(INSTALL_DATA) '$(srcdir)/tuner/scantune.bash' '$(DESTDIR)$(completiondir)/scantune'
uninstall-completion:
	rm -f '$(DESTDIR)$(completiondir)/scantune'

# What is known of common machines, for who has not tuned: a database in which look-up finds them last.
vendor_texts = $(srcdir)/tuner/vendor/h200.txt
EXTRA_DIST += tuner/vendor/h200.txt
CLEANFILES += tuner/defaults.db
if MAKES_VENDOR
vendordir = $(datadir)/scanrt
nodist_vendor_DATA = tuner/defaults.db
tuner/defaults.db: $(vendor_texts) scantune$(EXEEXT)
	$(AM_V_GEN)$(SCANTUNE_FOR_BUILD) vendor -o $@ --quiet --sources $(srcdir)/kernels $(vendor_texts)
endif
