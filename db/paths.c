/* SPDX-License-Identifier: MIT */
/* secure_getenv: a set-uid program must not be led to a file by whoever starts it. */
#include <stdlib.h>

#include "db.h"

/* configure sets these; the defaults are those of GNU programs. */
#ifndef SRT_LOCALSTATEDIR
#define SRT_LOCALSTATEDIR "/usr/local/var"
#endif
#ifndef SRT_DATADIR
#define SRT_DATADIR "/usr/local/share"
#endif

/* The XDG specification has relative paths ignored; a relative HOME is no better. */
static const char *absolute_from_environment(const char *name)
{
	const char *value = secure_getenv(name);

	return value && value[0] == '/' ? value : NULL;
}

void srt_db_user_path(struct srt_strbuf *out)
{
	const char *cache = absolute_from_environment("XDG_CACHE_HOME");
	const char *home = absolute_from_environment("HOME");

	if (cache)
		srt_strbuf_printf(out, "%s/scanrt/tune.db", cache);
	else if (home)
		srt_strbuf_printf(out, "%s/.cache/scanrt/tune.db", home);
}

void srt_db_system_path(struct srt_strbuf *out)
{
	srt_strbuf_append(out, SRT_LOCALSTATEDIR "/lib/scanrt/tune.db");
}

void srt_db_vendor_path(struct srt_strbuf *out)
{
	srt_strbuf_append(out, SRT_DATADIR "/scanrt/defaults.db");
}
