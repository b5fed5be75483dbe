# SPDX-License-Identifier: MIT
#
# NVRTC only, no driver.
check_LTLIBRARIES += tests/rtc/libbatch.la
tests_rtc_libbatch_la_SOURCES = tests/rtc/batch.c tests/rtc/batch.h tests/rtc/cubin.c tests/rtc/cubin.h

check_PROGRAMS += tests/rtc/archs tests/rtc/defaults tests/rtc/failures tests/rtc/problems tests/rtc/types \
	tests/rtc/user_text
RTC_TESTS += tests/rtc/archs tests/rtc/defaults tests/rtc/failures tests/rtc/problems tests/rtc/types \
	tests/rtc/user_text
tests_rtc_archs_LDADD = tests/rtc/libbatch.la $(LDADD)
tests_rtc_defaults_LDADD = tests/rtc/libbatch.la $(LDADD)
tests_rtc_failures_LDADD = tests/rtc/libbatch.la $(LDADD)
tests_rtc_problems_LDADD = tests/rtc/libbatch.la $(LDADD)
tests_rtc_types_LDADD = tests/rtc/libbatch.la $(LDADD)
tests_rtc_user_text_LDADD = tests/rtc/libbatch.la $(LDADD)
