#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the vendor's texts choose is right with the kernels of today, whatever kernels were measured: some of the
# choices, verified in every mode on the emulated device, as scantune verify does on a real one.  SCANRT_TEST_SEED says
# which, SCANRT_TEST_CHOICES how many (1).
. "$top_srcdir/tests/tap.sh"
[ -n "$NVRTC_DIR" ] || skip_all "no NVRTC"
scantune=$top_builddir/scantune
SCANRT_LIBCUDA=$top_builddir/.libs/libscanrt-emu.so
export SCANRT_LIBCUDA
unset SCANRT_DB SCANRT_EMU_MODEL SCANRT_EMU_SMS
many=${SCANRT_TEST_CHOICES:-1}
seed=${SCANRT_TEST_SEED:-1}
diag "seed $seed, $many choices"
# As if they had been measured on the emulated device, at a small count; each of a problem of its own, since a class is
# of no importance here.
for text in "$top_srcdir"/tuner/vendor/*.txt; do
	name=$(basename "$text")
	awk '$1 == "problem" { problem = $0 }
			$1 == "variant" && !seen[problem $2]++ { print problem "\t" $2 }' "$text" |
		awk -v seed="$seed" -v many="$many" 'BEGIN { srand(seed) } { lines[NR] = $0 }
			END { for (i = 0; i < many; i++) print lines[1 + int(NR * rand())] }' |
		sort -u -t '	' -k 1,1 >"$tap_dir/some"
	# A cluster of sixteen wants multiprocessors for all of its blocks.
	unset SCANRT_EMU_SMS
	! grep -q 'cluster,' "$tap_dir/some" || { SCANRT_EMU_SMS=16 && export SCANRT_EMU_SMS; }
	fingerprint=$("$scantune" devices --json | sed -n '1s/.*"fingerprint":"\([^"]*\)".*/\1/p')
	family=$(echo "$fingerprint" | sed 's/ memclock=.*//')
	awk '/^(compiler|driver|effort|scantune|kernels) / && !seen[$1]++' "$text" >"$tap_dir/facts"
	{
		printf 'device emulated\nfingerprint %s\nfamily %s\n' "$fingerprint" "$family"
		printf 'facts 90 %s 131072 2147483648\nmodelled\n' "${SCANRT_EMU_SMS:-4}"
		cat "$tap_dir/facts"
		while IFS='	' read -r problem variant; do
			printf '%s\ntuned 2026-01-01T00:00:00Z\ntile 1 more 3000 1 - - - - -\nvariant %s\nreason -\n' \
				"$problem" "$variant"
		done <"$tap_dir/some"
	} >"$tap_dir/mine.txt"
	ok "some choices of $name are taken" "$scantune" vendor -o "$tap_dir/mine.db" "$tap_dir/mine.txt"
	chosen=$(wc -l <"$tap_dir/some" | tr -d ' ')
	ok "they are verified" "$scantune" verify --device emu --db "$tap_dir/mine.db"
	diag "$(grep ' right$' "$tap_dir/.output")"
	is "$(grep -c ' right$' "$tap_dir/.output")" "$chosen" "and all of them are right"
done
done_testing
