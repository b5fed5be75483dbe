#!/bin/sh
# SPDX-License-Identifier: MIT
#
# One administrator tunes for all users: scantune --system, the file that it leaves, and what look-up makes of it beside
# a user's own and the vendor's.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/quick.sh"
scantune=$top_builddir/tests/cli/scantune_here
SCANTUNE_TEST_ROOT=$tap_dir/machine
HOME=$tap_dir/admin
export SCANTUNE_TEST_ROOT HOME
system=$SCANTUNE_TEST_ROOT/var/lib/scanrt/tune.db
mkdir -p "$SCANTUNE_TEST_ROOT" "$HOME"
tune() {
	"$scantune" --device emu --quick --type i32 --op sum --count 1024,16384 "$@"
}
choices() {
	"$SQLITE3" "$1" "SELECT group_concat(c.class || v.text || c.count) FROM choice c
		JOIN variant v ON v.id = c.variant"
}
# Where a plan of this user's has its choices from.
origin() {
	SCANRT_LOG=stderr "$scantune" bench --device emu --type i32 --op sum --count 1024 "$@" 2>&1
}

umask 077
ok "--system tunes" tune --system
like "$(cat "$tap_dir/.output")" "published as $system" "and says what it has published"
is "$(choices "$system")" "$(choices "$HOME/.cache/scanrt/tune.db")" "what was tuned into the administrator's own file"
is "$(stat -c %a "$system" "${system%/*}" | tr '\n' ' ')" "644 755 " "all may read it, whatever the umask"
is "$(stat -c %a "$HOME/.cache/scanrt/tune.db")" 600 "the administrator's own nobody else"
is_empty "$(find "${system%/*}" -type f ! -name tune.db)" "nothing else is left beside it"
is "$("$SQLITE3" "$system" 'PRAGMA integrity_check')" ok "it is whole"
is "$("$SQLITE3" "$system" "SELECT count(*) FROM run WHERE status <> 'complete'")" 0 "with a run that is complete"
like "$("$scantune" list --system)" "sum i32" "list --system shows it"
like "$("$scantune" show i32 sum --system)" "reason" "so does show"
like "$("$scantune" why i32 sum 1024 --system)" "decided" "and why"
ok "verify --system finds it right" "$scantune" verify --system --device emu
like "$(cat "$tap_dir/.output")" "$system is only looked at" "and only looks"

HOME=$tap_dir/user
mkdir -p "$HOME"
like "$(origin)" "$system: image" "another user's programs take the machine code from there"
like "$(origin | grep ' tuned ')" "sum i32" "as what is tuned"
like "$(origin --mode exclusive)" "$system: image" "for exclusive scans, too"
ok "and who tunes has a file of one's own" tune
like "$(origin)" "$HOME/.cache/scanrt/tune.db: image" "which comes first then"
is "$(origin | grep -c "$system: image")" 0 "and hides the machine's"
rm -rf "$HOME/.cache"
echo pages >"$system-journal"
like "$(origin)" "$system: refused" "a file that somebody is writing to is refused"
rm "$system-journal"
chmod 666 "$system"
like "$(origin)" "$system: machine code refused" "of one that anybody may write to only the numbers are taken"
like "$(origin | grep ' tuned ')" "sum i32" "which still say what is fast"
chmod 644 "$system"

# A vendor's file is the last that is asked.
mkdir -p "$SCANTUNE_TEST_ROOT/share/scanrt"
cp "$system" "$SCANTUNE_TEST_ROOT/share/scanrt/defaults.db"
mv "$system" "$tap_dir/kept.db"
like "$(origin)" "share/scanrt/defaults.db: image" "without it, the vendor's answers"
mv "$tap_dir/kept.db" "$system"
is "$(origin | grep -c 'share/scanrt/defaults.db: image')" 0 "with it, it does not"

# Tuning again replaces it as a whole; a reader that has the old one open keeps it.
HOME=$tap_dir/admin
exec 7<"$system"
before=$(stat -c %i "$system")
ok "--system tunes again" tune --system --type i32,f32
is "$([ "$(stat -c %i "$system")" != "$before" ] && echo replaced)" replaced "the file is another one"
is "$(head -c 15 <&7)" "SQLite format 3" "whoever had the old one open still has it"
exec 7<&-
is "$("$SQLITE3" "$system" 'SELECT count(DISTINCT problem) FROM choice')" 2 "the new one has both problems"
fails "a run that time ends exits with 2" 2 tune --system --restart --thorough --type f64,i64,u64 --time 0.3s
is "$("$SQLITE3" "$system" "SELECT count(DISTINCT p.name) FROM choice c JOIN problem p ON p.id = c.problem
	WHERE p.name IN ('sum i32', 'sum f32')")" 2 "and takes nothing away from what was published"

# Better to know before minutes of tuning.
SCANTUNE_TEST_ROOT=$tap_dir/blocked
: >"$SCANTUNE_TEST_ROOT"
rm -rf "$HOME/.cache"
fails "where nothing can be published, nothing is tuned" 4 tune --system
like "$(cat "$tap_dir/.output")" "is not writable: --system is for the administrator" "for a reason"
ok "and nothing is left" test ! -e "$HOME/.cache/scanrt/tune.db"
done_testing
