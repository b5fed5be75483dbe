/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "internal.h"
#include "status.h"

/* SQLITE_ERROR from our own constant statements means that a table or column is not what the schema says. */
static int status_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return SCANRT_ERROR_DATABASE_BUSY;
	case SQLITE_CORRUPT:
	case SQLITE_ERROR:
		return SCANRT_ERROR_DATABASE_CORRUPT;
	case SQLITE_NOTADB:
		return SCANRT_ERROR_DATABASE_FORMAT;
	case SQLITE_NOMEM:
		return SCANRT_ERROR_OUT_OF_MEMORY;
	default:
		return SCANRT_ERROR_DATABASE;
	}
}

int srt_db_fail(const struct srt_db *db, const char *doing)
{
	int code = sqlite3_extended_errcode(db->handle);

	if (code == SQLITE_READONLY_ROLLBACK)
		return srt_fail_database(SCANRT_ERROR_DATABASE, code,
			"%s: a write was interrupted, and its -journal must be rolled back, which a reader may not do",
			db->path);
	return srt_fail_database(
		status_of(code), code, "%s: cannot %s: %s", db->path, doing, sqlite3_errmsg(db->handle));
}

static int bind_text(sqlite3_stmt *statement, int index, const char *text, bool is_optional)
{
	if (!text || (is_optional && *text == '\0'))
		return sqlite3_bind_null(statement, index);
	return sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

static int bind_integer(sqlite3_stmt *statement, int index, int64_t value, bool is_optional)
{
	if (is_optional && value == 0)
		return sqlite3_bind_null(statement, index);
	return sqlite3_bind_int64(statement, index, value);
}

static int bind_real(sqlite3_stmt *statement, int index, double value, bool is_optional)
{
	if (is_optional && (value == 0 || !isfinite(value)))
		return sqlite3_bind_null(statement, index);
	return sqlite3_bind_double(statement, index, value);
}

static int bind_all(sqlite3_stmt *statement, const char *types, va_list arguments)
{
	int code = SQLITE_OK;
	int index;

	assert((int)strlen(types) == sqlite3_bind_parameter_count(statement));
	for (index = 1; *types && code == SQLITE_OK; types++, index++) {
		bool is_optional = isupper((unsigned char)*types);

		switch (tolower((unsigned char)*types)) {
		case 's':
			code = bind_text(statement, index, va_arg(arguments, const char *), is_optional);
			break;
		case 'i':
			code = bind_integer(statement, index, va_arg(arguments, int), is_optional);
			break;
		case 'l':
			code = bind_integer(statement, index, va_arg(arguments, int64_t), is_optional);
			break;
		case 'u': {
			uint64_t value = va_arg(arguments, uint64_t);

			code = bind_integer(
				statement, index, value > INT64_MAX ? INT64_MAX : (int64_t)value, is_optional);
			break;
		}
		case 'd':
			code = bind_real(statement, index, va_arg(arguments, double), is_optional);
			break;
		default:
			assert(!"an unknown letter");
		}
	}
	return code;
}

static int prepare(sqlite3_stmt **statement, struct srt_db *db, const char *sql, const char *types, va_list arguments)
{
	int needed = srt_db_need_sql(db);

	*statement = NULL;
	if (needed != SCANRT_OK)
		return needed;
	if (sqlite3_prepare_v2(db->handle, sql, -1, statement, NULL) != SQLITE_OK)
		return srt_db_fail(db, "understand its tables");
	if (bind_all(*statement, types, arguments) != SQLITE_OK) {
		int status = srt_db_fail(db, "bind a value");

		sqlite3_finalize(*statement);
		*statement = NULL;
		return status;
	}
	return SCANRT_OK;
}

int srt_db_prepare(sqlite3_stmt **statement, struct srt_db *db, const char *sql, const char *types, ...)
{
	va_list arguments;
	int status;

	va_start(arguments, types);
	status = prepare(statement, db, sql, types, arguments);
	va_end(arguments);
	return status;
}

int srt_db_step(bool *has_row, struct srt_db *db, sqlite3_stmt *statement)
{
	int code = sqlite3_step(statement);

	*has_row = code == SQLITE_ROW;
	if (code == SQLITE_ROW || code == SQLITE_DONE)
		return SCANRT_OK;
	return srt_db_fail(db, sqlite3_stmt_readonly(statement) ? "read" : "write");
}

int srt_db_execute(struct srt_db *db, const char *sql, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list arguments;
	bool has_row;
	int status;

	va_start(arguments, types);
	status = prepare(&statement, db, sql, types, arguments);
	va_end(arguments);
	if (status == SCANRT_OK)
		status = srt_db_step(&has_row, db, statement);
	sqlite3_finalize(statement);
	return status;
}

int srt_db_integer(int64_t *value, bool *found, struct srt_db *db, const char *sql, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list arguments;
	int status;

	*value = 0;
	*found = false;
	va_start(arguments, types);
	status = prepare(&statement, db, sql, types, arguments);
	va_end(arguments);
	if (status == SCANRT_OK)
		status = srt_db_step(found, db, statement);
	if (status == SCANRT_OK && *found)
		*value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return status;
}

int srt_db_script(struct srt_db *db, const char *sql)
{
	if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		return srt_db_fail(db, db->access == SRT_DB_READ ? "read" : "write");
	return SCANRT_OK;
}

const char *srt_db_text(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	return text ? text : "";
}

void srt_db_cells(struct srt_cell *cells, int count, sqlite3_stmt *statement)
{
	int i;

	memset(cells, 0, sizeof(*cells) * (size_t)count);
	for (i = 0; i < count; i++)
		switch (sqlite3_column_type(statement, i)) {
		case SQLITE_INTEGER:
		case SQLITE_FLOAT:
			cells[i].kind =
				sqlite3_column_type(statement, i) == SQLITE_FLOAT ? SRT_CELL_REAL : SRT_CELL_INTEGER;
			cells[i].integer = sqlite3_column_int64(statement, i);
			cells[i].real = sqlite3_column_double(statement, i);
			break;
		case SQLITE_TEXT:
			cells[i].kind = SRT_CELL_TEXT;
			cells[i].bytes = sqlite3_column_text(statement, i);
			cells[i].size = cells[i].bytes ? (size_t)sqlite3_column_bytes(statement, i) : 0;
			break;
		case SQLITE_BLOB:
			cells[i].kind = SRT_CELL_BLOB;
			cells[i].bytes = sqlite3_column_blob(statement, i);
			cells[i].size = cells[i].bytes ? (size_t)sqlite3_column_bytes(statement, i) : 0;
			break;
		default:
			break;
		}
}

int srt_db_copy(const struct srt_db *db, char *field, size_t size, const struct srt_cell *cell)
{
	if ((cell->kind != SRT_CELL_TEXT && cell->kind != SRT_CELL_NULL) || cell->size >= size || cell->is_split)
		return srt_fail_database(SCANRT_ERROR_DATABASE_CORRUPT, SQLITE_CORRUPT,
			"%s: is damaged: a text is not what scantune writes", db->path);
	if (cell->size > 0)
		memcpy(field, cell->bytes, cell->size);
	field[cell->size] = '\0';
	return SCANRT_OK;
}

bool srt_db_is_text(const struct srt_cell *cell, const char *text)
{
	return cell->kind == SRT_CELL_TEXT && !cell->is_split && cell->size == strlen(text) &&
		memcmp(cell->bytes, text, cell->size) == 0;
}
