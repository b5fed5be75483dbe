# SPDX-License-Identifier: MIT
#
# The tuning database: the only objects that need SQLite.  schema.sql is compiled in.
libscanrt_core_la_SOURCES += \
	db/choice.c \
	db/compress.c db/compress.h \
	db/db.h \
	db/device.c \
	db/direct.c \
	db/file.c \
	db/header.c \
	db/image.c \
	db/internal.h \
	db/kept.c \
	db/lookup.c \
	db/measured.c \
	db/migrate.c \
	db/open.c \
	db/pages.c db/pages.h \
	db/paths.c \
	db/prune.c \
	db/publish.c \
	db/health.c \
	db/record.c db/record.h \
	db/rival.c \
	db/run.c \
	db/seal.c \
	db/similar.c \
	db/statement.c \
	db/subject.c \
	db/timed.c \
	db/transaction.c \
	db/tree.c db/tree.h \
	db/trial.c \
	db/trust.c
nodist_libscanrt_core_la_SOURCES += db/schema.c

EXTRA_DIST += db/embed.sh db/schema.sql
CLEANFILES += db/schema.c db/schema.c-t

# Written under another name first, so that an interrupted build leaves no half of a file.
db/schema.c: db/schema.sql db/embed.sh lib/embed_text.sh
	$(AM_V_GEN)$(MKDIR_P) db && \
	$(SHELL) $(srcdir)/db/embed.sh $(srcdir)/db/schema.sql >$@-t && \
	mv -f $@-t $@
