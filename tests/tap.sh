# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# The Test Anything Protocol for shell tests, to be sourced.  Names are sentences.
#   ok "the header compiles as C11" gcc -std=c11 -c header.c     runs a command; its output is shown if it fails
#   fails "an unknown option is refused" 1 scantune --nonsense   wants that exit status
#   is "$seen" "$wanted" "the list has three rows"
#   like "$text" "part" "the message names the file"
#   skip 2 "no C++ compiler"; skip_all "reason"; diag text; bail_out "reason"; done_testing
LC_ALL=C
export LC_ALL
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
: "${CC:=cc}" "${MAKE:=make}" "${PKG_CONFIG:=pkg-config}" "${SQLITE3=sqlite3}" "${MANDOC=mandoc}" "${CXX=c++}"
tap_ran=0
tap_failed=0
tap_dir=$(mktemp -d "${TMPDIR:-/tmp}/scanrt-test.XXXXXX") || exit 99
trap 'rm -rf "$tap_dir"' EXIT
trap 'exit 99' HUP INT TERM

diag() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

pass() {
	tap_ran=$((tap_ran + 1))
	printf 'ok %d - %s\n' "$tap_ran" "$1"
}

fail() {
	tap_ran=$((tap_ran + 1))
	tap_failed=$((tap_failed + 1))
	printf 'not ok %d - %s\n' "$tap_ran" "$1"
}

ok() {
	tap_name=$1
	shift
	if "$@" >"$tap_dir/.output" 2>&1; then
		pass "$tap_name"
	else
		tap_status=$?
		fail "$tap_name"
		diag "exit status $tap_status of: $*"
		head -40 "$tap_dir/.output" | sed 's/^/# /'
	fi
}

fails() {
	tap_name=$1
	tap_wanted=$2
	shift 2
	tap_status=0
	"$@" >"$tap_dir/.output" 2>&1 || tap_status=$?
	if [ "$tap_status" -eq "$tap_wanted" ]; then
		pass "$tap_name"
	else
		fail "$tap_name"
		diag "wanted exit status $tap_wanted, saw $tap_status, of: $*"
		head -40 "$tap_dir/.output" | sed 's/^/# /'
	fi
}

is() {
	if [ "$1" = "$2" ]; then
		pass "$3"
	else
		fail "$3"
		diag "wanted: $2"
		diag "seen:   $1"
	fi
}

like() {
	case $1 in
	*"$2"*) pass "$3" ;;
	*)
		fail "$3"
		diag "wanted: a text that contains: $2"
		diag "seen:   $1"
		;;
	esac
}

unlike() {
	case $1 in
	*"$2"*)
		fail "$3"
		diag "wanted: a text without: $2"
		diag "seen:   $1"
		;;
	*) pass "$3" ;;
	esac
}

# Passes where the text is empty: for lists of offenders.
is_empty() {
	if [ -z "$1" ]; then
		pass "$2"
	else
		fail "$2"
		diag "wanted: nothing"
		diag "seen:
$1"
	fi
}

skip() {
	tap_left=$1
	while [ "$tap_left" -gt 0 ]; do
		tap_ran=$((tap_ran + 1))
		tap_left=$((tap_left - 1))
		printf 'ok %d # SKIP %s\n' "$tap_ran" "$2"
	done
}

skip_all() {
	printf '1..0 # SKIP %s\n' "$1"
	exit 0
}

bail_out() {
	printf 'Bail out! %s\n' "$1"
	exit 99
}

done_testing() {
	printf '1..%d\n' "$tap_ran"
	[ "$tap_ran" -gt 0 ] && [ "$tap_failed" -eq 0 ]
	exit
}
