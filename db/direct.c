/* SPDX-License-Identifier: MIT */
/*
 * A reader's file without SQLite, whose first use costs a process a quarter of a millisecond, and each opening a
 * tenth.  Only the plain case is dealt with here; whatever is unusual (a lock that is held, a journal, a damaged
 * header) is left to SQLite, which can wait, judge a journal, and say what is wrong.
 */
#define _GNU_SOURCE /* F_OFD_SETLK */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"
#include "pages.h"
#include "status.h"

/* As SQLite's own files name and use them: a reader locks a range, while it holds the byte that writers wait on. */
#define PENDING_BYTE 0x40000000
#define SHARED_FIRST (PENDING_BYTE + 2)
#define SHARED_SIZE  510

/* ---- Descriptors ---- */

/* Closing any descriptor of a file drops the locks of the whole process on it (POSIX), those of SQLite's handles too.
 * While there are any, ours stay open. */
static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;
static int handle_count;
static int *kept;
static size_t kept_count;

void srt_db_count_handle(int change)
{
	pthread_mutex_lock(&kept_lock);
	handle_count += change;
	if (handle_count == 0) {
		while (kept_count > 0)
			close(kept[--kept_count]);
		free(kept);
		kept = NULL;
	}
	pthread_mutex_unlock(&kept_lock);
}

/* Without memory to remember it, the descriptor is lost: that harms nobody's data. */
static void keep(int descriptor)
{
	int *grown = realloc(kept, (kept_count + 1) * sizeof(*kept));

	if (!grown)
		return;
	kept = grown;
	kept[kept_count++] = descriptor;
}

static void close_or_keep(int descriptor)
{
	pthread_mutex_lock(&kept_lock);
	if (handle_count == 0)
		close(descriptor);
	else
		keep(descriptor);
	pthread_mutex_unlock(&kept_lock);
}

/* ---- Locks ---- */

#ifdef F_OFD_SETLK
/* Such a lock belongs to the open file and not to the process, and excludes SQLite's as another process's would. */
static bool set_lock(int descriptor, short kind, off_t start, off_t size)
{
	struct flock lock = { .l_type = kind, .l_whence = SEEK_SET, .l_start = start, .l_len = size };

	return fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

static bool lock_shared(int descriptor)
{
	bool is_locked = set_lock(descriptor, F_RDLCK, PENDING_BYTE, 1);

	is_locked = is_locked && set_lock(descriptor, F_RDLCK, SHARED_FIRST, SHARED_SIZE);
	return set_lock(descriptor, F_UNLCK, PENDING_BYTE, 1) && is_locked;
}

static void unlock(int descriptor)
{
	set_lock(descriptor, F_UNLCK, SHARED_FIRST, SHARED_SIZE);
}
#else
static bool lock_shared(int descriptor)
{
	(void)descriptor;
	return false;
}

static void unlock(int descriptor)
{
	(void)descriptor;
}
#endif

/* ---- The file ---- */

int srt_db_read_at(const struct srt_db *db, void *bytes, size_t size, sqlite3_int64 offset)
{
	sqlite3_file *file = NULL;
	int code = SQLITE_OK;

	if (db->descriptor >= 0)
		return pread(db->descriptor, bytes, size, (off_t)offset) == (ssize_t)size ? SQLITE_OK
											  : SQLITE_IOERR_READ;
	code = sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	if (code == SQLITE_OK && (!file || !file->pMethods))
		code = SQLITE_ERROR;
	return code == SQLITE_OK ? file->pMethods->xRead(file, bytes, (int)size, offset) : code;
}

int srt_db_file_size(const struct srt_db *db, sqlite3_int64 *size)
{
	sqlite3_file *file = NULL;
	struct stat facts;
	int code;

	if (db->descriptor >= 0) {
		code = fstat(db->descriptor, &facts) == 0 ? SQLITE_OK : SQLITE_IOERR_FSTAT;
		*size = code == SQLITE_OK ? facts.st_size : 0;
		return code;
	}
	code = sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	if (code == SQLITE_OK && (!file || !file->pMethods))
		code = SQLITE_ERROR;
	return code == SQLITE_OK ? file->pMethods->xFileSize(file, size) : code;
}

/* O_NONBLOCK: a FIFO would wait for a writer. */
static bool open_file(struct srt_db *db)
{
	struct stat file;

	db->descriptor = open(db->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (db->descriptor < 0 || fstat(db->descriptor, &file) != 0 || !S_ISREG(file.st_mode))
		return false;
	db->filesystem = file.st_dev;
	db->inode = file.st_ino;
	return true;
}

/* What a database has at most to be worth reading as a whole. */
#define EXPECTED_BYTES (4 << 20)

void srt_db_expect(const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (descriptor < 0)
		return;
	posix_fadvise(descriptor, 0, EXPECTED_BYTES, POSIX_FADV_WILLNEED);
	close_or_keep(descriptor);
}

bool srt_db_open_direct(struct srt_db *db)
{
	struct srt_error before;
	bool is_open;
	int version;

	srt_error_save(&before);
	/* A journal is judged under the lock: without one, nobody has begun to write to the file. */
	is_open = open_file(db) && lock_shared(db->descriptor) && !srt_db_has_journal(db) &&
		srt_db_check_header(db, &version) == SCANRT_OK && srt_pages_open(db) == SCANRT_OK;
	if (!is_open) {
		srt_pages_close(db->pages);
		db->pages = NULL;
		srt_db_close_direct(db);
		srt_error_restore(&before);
	}
	return is_open;
}

void srt_db_close_direct(struct srt_db *db)
{
	if (db->descriptor < 0)
		return;
	unlock(db->descriptor);
	close_or_keep(db->descriptor);
	db->descriptor = -1;
}
