#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A problem of the user's from its file to a program that scans without a compiler: tuned, looked at, verified, given
# away, timed; and files whose operators are no good.
. "$top_srcdir/tests/tap.sh"
[ -n "$NVRTC_DIR" ] || skip_all "no NVRTC"
scantune=$top_builddir/scantune
files=$top_srcdir/examples
SCANRT_DB=$tap_dir/tune.db
SCANRT_DRIVER=emu
export SCANRT_DB SCANRT_DRIVER
unset SCANRT_LIBCUDA SCANRT_EMU_MODEL SCANRT_EMU_SMS
SCANRT_LIBCUDA=$top_builddir/.libs/libscanrt-emu.so
quick=$(cd "$top_builddir" && pwd)/tests/cli/.libs
export SCANRT_LIBCUDA

tune() {
	"$scantune" --device emu --quick --count 3000 --problem "$@"
}
without_compiler() {
	env SCANRT_LIBNVRTC=/nonexistent "$@"
}

fails "before it is tuned, the program needs a compiler" 1 without_compiler "$top_builddir/examples/selective_scan"
ok "a problem of a file is tuned" tune "$files/selective_scan.problem"
like "$(cat "$tap_dir/.output")" "0 variants failed" "and no variant fails"
ok "then the program finds its results right without a compiler" \
	without_compiler "$top_builddir/examples/selective_scan"

name=$("$scantune" list | sed -n 's/^\(affine step[^ ]* #[0-9a-f]*\) .*/\1/p')
like "$name" "affine step>affine_f32>f32 #" "list has the problem by its names and its mark"
like "$("$scantune" show --problem "$files/selective_scan.problem")" "reason" "show takes the file"
like "$("$scantune" why --problem "$files/selective_scan.problem" 3000)" "chosen" "so does why"
like "$("$scantune" verify --device emu --problem "$files/selective_scan.problem")" " right" \
	"verify holds the choice to the operator again"
like "$("$scantune" verify --device emu)" "only --problem can state" "and says what it leaves out without the file"
ok "what no choice needs is pruned" "$scantune" prune
ok "and the program still needs no compiler" without_compiler "$top_builddir/examples/selective_scan"
ok "the choices are exported" "$scantune" export --with-images "$tap_dir/given.db"
fails "as a text they would say nothing to anybody else" 4 "$scantune" export --text "$tap_dir/given.txt"
like "$(cat "$tap_dir/.output")" "has no choices but of problems that only --problem can state" "which is said"
key=$("$SQLITE3" "$SCANRT_DB" 'SELECT key FROM kernels LIMIT 1')
ok "the code of a kernel is exported" "$scantune" export --image "$key" "$tap_dir/scan.code"
cut_short() { # a limit on the size of files is a disk that is full, to whoever writes
	(trap '' XFSZ && ulimit -f 1 && exec "$scantune" export --image "$key" "$@")
}
ok "and is more than a little" test "$(wc -c <"$tap_dir/scan.code")" -gt 4096
cp "$tap_dir/scan.code" "$tap_dir/whole.code"
fails "where the disk is full, that is an error" 4 cut_short "$tap_dir/scan.code"
ok "and what was there stays whole" cmp "$tap_dir/scan.code" "$tap_dir/whole.code"
ok "and imported for the problem of the file" env SCANRT_DB="$tap_dir/other.db" "$scantune" import --device emu \
	--with-images --problem "$files/selective_scan.problem" "$tap_dir/given.db"
ok "where the program needs no compiler then, either" env SCANRT_DB="$tap_dir/other.db" SCANRT_LIBNVRTC=/nonexistent \
	"$top_builddir/examples/selective_scan"
like "$("$scantune" bench --device emu --count 3000 --problem "$files/selective_scan.problem")" " tuned " \
	"bench times it as tuned"
like "$("$scantune" --device emu --dry-run --verbose --problem "$files/dual_numbers.problem")" \
	" large,items=60,residency=2" "elements that are too large for registers have a space of their own"

# A state, an identity and an initial value that is larger than what a launch's arguments hold.
cat >"$tap_dir/state.problem" <<'EOF'
type block 36 4
input block
operator sums <<EOT
using block = scan::opaque<36, 4>;
void apply(block &r, const block &e, const block &l, const unsigned *mask)
{
	unsigned a[9], b[9];
	memcpy(a, &e, 36);
	memcpy(b, &l, 36);
	for (int i = 0; i < 9; i++)
		a[i] = (a[i] + b[i]) & *mask;
	memcpy(&r, a, 36);
}
EOT
state u32 0xffff
identity u32 ...
initial u32 9*3
layout block 9*u32:0:65535
EOF
ok "a problem with a state is scanned, in both modes" "$scantune" bench --device emu --count 300 \
	--mode inclusive,exclusive --variant lookback,block=64,items=1 --problem "$tap_dir/state.problem"
is "$(grep -c ' forced ' "$tap_dir/.output")" 2 "and held to the operator with that state"

# The library itself keeps what it had to compile.
ok "a program compiles what is not tuned" env SCANRT_WRITE_CACHE=1 SCANRT_DB="$tap_dir/kept.db" \
	"$top_builddir/examples/string_hash"
ok "and the images of its types are kept" env SCANRT_DB="$tap_dir/kept.db" SCANRT_LIBNVRTC=/nonexistent \
	"$top_builddir/examples/string_hash"

# Lines of the file's, not of the text's.
cat >"$tap_dir/bad.problem" <<'EOF'
type pair 8 4 <<EOT
struct pair { int a, b; };
EOT
input pair
operator add <<EOT
pair apply(const pair &e, const pair &l)
{
	return {e.a + l.c, e.b};
}
EOT
EOF
fails "an operator that does not compile ends the run" 2 tune "$tap_dir/bad.problem"
like "$(cat "$tap_dir/.output")" "bad.problem:8: " "with the file and the line"

cat >"$tap_dir/undefined.problem" <<'EOF'
input i32
operator add <<EOT
int helper(int a, int b);

int apply(int e, int l) { return helper(e, l); }
EOT
EOF
fails "a function that the text declares and never defines ends the run" 2 tune "$tap_dir/undefined.problem"
like "$(cat "$tap_dir/.output")" "undefined.problem:3: the problem's text: operator add(1): error: function helper is" \
	"with its name and the line of the file"

cat >"$tap_dir/endless.problem" <<'EOF'
input i32
operator add <<EOT
int apply(int e, int l)
{
	int volatile sum = e + l;
	while (sum == sum)
		;
	return sum;
}
EOT
EOF

# Operators that are none, each with an example in the numbers of its layout.
check() {
	"$scantune" --device emu --check-operator --problem "$@"
}
ok "an operator is checked" check "$files/state_machine.problem"
like "$(cat "$tap_dir/.output")" "operator compose was tried on 1004 triples: it is exact" "and found good"
ok "one of floats is checked" check "$files/selective_scan.problem"
like "$(cat "$tap_dir/.output")" "associative to within" "and its rounding is told"
cat >"$tap_dir/difference.problem" <<'EOF'
input i8
accumulator i32
output i32
operator minus <<EOT
int apply(int e, int l) { return e - l; }
EOT
layout i8 i8:1:9
EOF
fails "a difference is no operator of a scan" 2 check "$tap_dir/difference.problem"
like "$(cat "$tap_dir/.output")" "operator minus is not associative; a is element 0" "and the first example is shown"
fails "nor is anything tuned for it" 2 tune "$tap_dir/difference.problem"
cat >"$tap_dir/saturating.problem" <<'EOF'
input i32
operator saturating <<EOT
int apply(int e, int l) { int s = e + l; return s > 1000 ? 1000 : s < -1000 ? -1000 : s; }
EOT
layout i32 i32:0:1
EOF
ok "where random elements find nothing" check "$tap_dir/saturating.problem"
printf '\003\000\000\000\204\003\000\000\364\001\000\000\250\375\377\377' >"$tap_dir/elements"
fails "the user's own elements may" 2 check "$tap_dir/saturating.problem" --elements "$tap_dir/elements"
like "$(cat "$tap_dir/.output")" "a        {900}, bytes 84 03 00 00" "in numbers and in bytes"
printf '\003\000\000' >"$tap_dir/elements"
fails "which have to be whole" 1 check "$tap_dir/saturating.problem" --elements "$tap_dir/elements"

SCANTUNE_PATIENCE=2
export SCANTUNE_PATIENCE
fails "an operator without an end ends the run, which does not wait for it" 2 tune "$tap_dir/endless.problem"
like "$(cat "$tap_dir/.output")" "operator add does not come to an end" "and says so"

# One that comes to an end but for late operands of more than 1500 elements: those of the check have 512, and those of
# the reference none but the array's, so that the kernels with large tiles are the first to meet them.
cat >"$tap_dir/late.problem" <<'EOF'
input i32
operator add <<EOT
int apply(int e, int l)
{
	while (l > 1500)
		asm volatile("" : "+r"(l));
	return e + l;
}
EOT
layout i32 i32:0:1
EOF
ok "an operator that some kernels drive into a loop without an end ends no run" "$scantune" --device emu --quick \
	--db "$tap_dir/late.db" --count 8000 --mode inclusive --problem "$tap_dir/late.problem"
late() {
	"$SQLITE3" "$tap_dir/late.db" "SELECT $1 FROM trial t JOIN variant v ON v.id = t.variant WHERE t.class = ''"
}
is "$(late "group_concat(DISTINCT t.status)" | tr , '\n' | sort | paste -s -d ,)" ok,timeout \
	"the watchdog ends what does, and the rest is right"
is "$(late "sum(v.text LIKE 'lookahead,block=448%' AND t.status = 'timeout')")" 1 "large tiles among them"
is "$("$SQLITE3" "$tap_dir/late.db" "SELECT count(*) FROM choice c JOIN trial t ON t.variant = c.variant
	WHERE t.status = 'timeout'")" 0 "none of them is chosen"
is "$("$SQLITE3" "$tap_dir/late.db" "SELECT count(*) > 0 FROM failures WHERE status = 'timeout'")" 1 \
	"and the view failures has them"

# A text has what a build could make a database of: the problems of files are none of it.
ok "a built-in problem, into the same database" env SCANRT_LIBNVRTC="$quick/libquicknvrtc.so" \
	SCANRT_LIBCUDA="$quick/libscanrt-emu-quick.so" "$scantune" --device emu --quick --type i32 --op sum \
	--count 1024 --db "$tap_dir/late.db"
ok "export --text of both" "$scantune" export --text "$tap_dir/late.txt" --db "$tap_dir/late.db"
like "$(cat "$tap_dir/.output")" "1 choices are of problems that only --problem can state: left out" \
	"says what it leaves out"
is "$(grep -c '^problem ' "$tap_dir/late.txt")" 1 "and has the other"
ok "of which a vendor's database is made" "$scantune" vendor -o "$tap_dir/vendor.db" "$tap_dir/late.txt"
is "$("$SQLITE3" "$tap_dir/vendor.db" "SELECT group_concat(name) FROM problem")" "sum i32" "with that problem alone"
done_testing
