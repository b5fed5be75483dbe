/* SPDX-License-Identifier: MIT
 *
 * In place of db/paths.c: a machine whose folders lie below SCANTUNE_TEST_ROOT, so that what --system does can be seen
 * without touching the one that the tests run on.
 */
#include <stdlib.h>

#include "db.h"

static void below(struct srt_strbuf *out, const char *path)
{
	const char *root = getenv("SCANTUNE_TEST_ROOT");

	srt_strbuf_printf(out, "%s%s", root ? root : "/nonexistent", path);
}

void srt_db_user_path(struct srt_strbuf *out)
{
	const char *home = getenv("HOME");

	if (home)
		srt_strbuf_printf(out, "%s/.cache/scanrt/tune.db", home);
}

void srt_db_system_path(struct srt_strbuf *out)
{
	below(out, "/var/lib/scanrt/tune.db");
}

void srt_db_vendor_path(struct srt_strbuf *out)
{
	below(out, "/share/scanrt/defaults.db");
}
