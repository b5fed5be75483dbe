#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Who may include whom, as HACKING.md says.
. "${top_srcdir:-.}/tests/tap.sh"
cd "$top_srcdir" || bail_out "no $top_srcdir"

# Files below the folders $2... that include header $1 (an extended regular expression), without those that match
# $allowed.
includers() {
	header=$1
	shift
	find "$@" -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' | sort |
		xargs grep -lE "^[[:space:]]*#[[:space:]]*include[[:space:]]+[<\"]([^\">]*/)?($header)[>\"]" |
		grep -v -x -E "${allowed:-nothing}" || true
}

allowed='db/.*'
is_empty "$(includers 'sqlite3\.h' lib db kernels tuner emu examples)" "only db/ includes sqlite3.h"
allowed='lib/driver\.h'
is_empty "$(includers 'cuda\.h|cudaTypedefs\.h' lib db kernels tuner examples)" "cuda.h is only behind lib/driver.h"
allowed='lib/rtc\.c'
is_empty "$(includers 'nvrtc\.h' lib db kernels tuner emu examples)" "only lib/rtc.c includes nvrtc.h"
allowed='lib/(driver|rtc|rtc_library)\.c'
is_empty "$(includers 'dlfcn\.h' lib db kernels)" "only the two loaders include dlfcn.h"
allowed=
is_empty "$(includers 'driver\.h|rtc\.h' db kernels)" "db and kernels know no driver and no compiler"

# The headers of folder $1, without names that the folders $2... have too: those find their own first.
headers_but() {
	folder=$1
	shift
	find "$@" -name '*.h' | sed 's|.*/||; s/\./\\./g' >"$tap_dir/own"
	find "$folder" -name '*.h' | sed 's|.*/||; s/\./\\./g' | grep -v -x -F -f "$tap_dir/own" | paste -s -d '|' -
}

is_empty "$(includers "$(headers_but tuner lib db emu)" lib db kernels emu)" "nothing but scantune includes tuner/"
is_empty "$(includers "$(headers_but lib emu)" emu)" "emu includes nothing of lib"
is_empty "$(find lib db -name '*.[ch]' | sort | xargs grep -l '#include.*emu' || true)" \
	"lib and db include nothing of emu"

# Below are the layers of lib, lowest first; a file includes headers of its own layer and of lower ones.  The facts that
# device.h declares are low; reading them from the driver is not.
cat >"$tap_dir/layers" <<'END'
1 scanrt status strbuf versioned abi source build_id loadable warm
2 problem user strategy variant variant_limits device log
3 driver rtc rtc_library device.c
4 image recipe image_recipe image_build ahead kernel pool replay db
5 heuristic catalog cover keep operator_check operator_words resolve self_test
6 plan classes fetch execute context describe scan
END
find lib -name '*.[ch]' | sort | xargs awk '
	FILENAME == layers { for (i = 2; i <= NF; i++) layer[$i] = $1; next }
	function base(path) { sub(/.*\//, "", path); return path }
	# A file that is not listed belongs to the module that its name begins with: plan_memo is of plan.
	function layer_of(name) {
		if (name in layer)
			return layer[name]
		sub(/\.[ch]$/, "", name)
		while (!(name in layer) && name ~ /_/)
			sub(/_[^_]*$/, "", name)
		return name in layer ? layer[name] : 0
	}
	FNR == 1 { own = layer_of(base(FILENAME)); if (!own) print FILENAME " is in no layer" }
	/^#include "/ {
		name = $2
		gsub(/"/, "", name)
		if (name !~ /\.h$/)
			next
		other = layer_of(base(name))
		if (own && other > own)
			print FILENAME " (layer " own ") includes " name " (layer " other ")"
	}' layers="$tap_dir/layers" "$tap_dir/layers" >"$tap_dir/upward"
is_empty "$(cat "$tap_dir/upward")" "no file of lib includes a header of a higher layer"

allowed='lib/device\.[ch]'
is_empty "$(grep -lw is_emulated lib/*.c lib/*.h db/*.c 2>/dev/null | grep -v -x -E "$allowed" || true)" \
	"nothing in lib asks whether the device is emulated"
knobs='BLOCK|ITEMS|STRATEGY|LOAD|STORE|STAGES|AHEAD|GATHER|WARP_SCAN|INPUT|OUTPUT|ACCUMULATOR|OPERATOR'
is_empty "$(grep -l 'SCAN_[A-Z]*' kernels/*.cuh kernels/*.cu 2>/dev/null |
	xargs grep -lE '#[[:space:]]*(if|ifdef|elif).*SCAN_('"$knobs"')\b' |
	grep -v -x -E 'kernels/(policy\.cuh|scan\.cu)' || true)" "only policy.cuh reads the knobs"
done_testing
