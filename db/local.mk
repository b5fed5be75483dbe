# SPDX-License-Identifier: MIT

libscanrt_core_la_SOURCES += \
	db/db.h
