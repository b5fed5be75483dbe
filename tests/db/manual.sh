#!/bin/sh
# SPDX-License-Identifier: MIT
#
# scanrt-db(5) describes every table, column and view of the schema, and the schema is as SQLite 3.34 reads it.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || bail_out "no $top_srcdir"
command -v "$SQLITE3" >/dev/null || skip_all "there is no sqlite3 shell"

page=man/scanrt-db.5
database=$tap_dir/schema.db
"$SQLITE3" "$database" <db/schema.sql || bail_out "the schema does not load"

# The part of the page that describes one table, or nothing.
section() {
	awk -v name="$1" '/^\.S[sh] / { inside = ($1 == ".Ss" && $2 == name) } inside' "$page"
}

for table in $("$SQLITE3" "$database" "SELECT name FROM sqlite_master WHERE type = 'table'
	AND name NOT LIKE 'sqlite_%'"); do
	section "$table" >"$tap_dir/section"
	ok "the page describes the table $table" test -s "$tap_dir/section"
	missing=
	for column in $("$SQLITE3" "$database" "SELECT name FROM pragma_table_info('$table') WHERE name <> 'id'"); do
		grep '^\.\(It \)*Va' "$tap_dir/section" | grep -qw "$column" || missing="$missing $column"
	done
	is_empty "$missing" "the page describes every column of $table"
done

for view in $("$SQLITE3" "$database" "SELECT name FROM sqlite_master WHERE type = 'view'"); do
	awk -v view="$view" '/^\.It Sy / { inside = $3 == view } /^\.El/ { inside = 0 } inside' "$page" \
		>"$tap_dir/section"
	ok "the page describes the view $view" test -s "$tap_dir/section"
	missing=$("$SQLITE3" "$database" "SELECT name FROM pragma_table_info('$view')" | while read -r column; do
		grep '^\.Va' "$tap_dir/section" | grep -qF "$column" || echo "$column"
	done)
	is_empty "$missing" "the page names every column of $view"
done
# The queries of the page, as people would paste them.
awk '/^\.Sh EXAMPLES/ { on = 1 } /^\.Sh COMPAT/ { on = 0 } on && /^\.Ed/ { print "\001"; text = 0 }
	on && text { print } on && /^\.Bd/ { text = 1 }' "$page" | tr '\001\n' '\n ' >"$tap_dir/queries"
is "$(grep -c SELECT "$tap_dir/queries")" 12 "the page has twelve queries"
while read -r query; do
	case $query in
	*SELECT*) ok "the query runs: $(printf '%.60s' "$query")" "$SQLITE3" "$database" "$query" ;;
	esac
done <"$tap_dir/queries"
done_testing
