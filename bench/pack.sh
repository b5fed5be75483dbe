#!/bin/sh
# SPDX-License-Identifier: MIT
#
# pack.sh [BUILD [STAGE]]: puts all that h200.sh needs into one folder that runs wherever it is copied: a machine with
# a GPU often has no headers of SQLite and no libtool.  BUILD is a configured and built tree (default: build), STAGE
# the folder to make (default: stage).
#
#   stage/bin    scantune, line_index, prefix_sum, first_scan, table
#   stage/lib    libscanrt.so.0, libscanrt-emu.so, driver_calls.so, peers.so and peers_user.so (where there is an nvcc)
#   stage/tests  the programs of the tiers gpu and long, each without a dependency on libscanrt.so
#   stage/h200.sh
set -eu

source_dir=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-build}" && pwd)
stage=${2:-stage}

say() { printf '%s\n' "pack.sh: $*" >&2; }

cd "$build"
make -s -j"$(nproc)" all
make -s -j"$(nproc)" check TESTS= >/dev/null
make -s bench/first_scan bench/driver_calls.so
if command -v "${NVCC:-nvcc}" >/dev/null; then
	make -s -j"$(nproc)" -k bench/peers.so bench/peers_user.so NVCC="${NVCC:-nvcc}" ||
		say "bench/peers.so or peers_user.so does not build: no comparison with CUB and Thrust there"
else
	say "no nvcc: no comparison with CUB and Thrust"
fi
cd "$OLDPWD"

rm -rf "$stage"
mkdir -p "$stage/bin" "$stage/lib" "$stage/tests/gpu" "$stage/tests/long"
stage=$(cd "$stage" && pwd)

# A program linked with libscanrt.la is a script of libtool's, which names the build folder; the program is in .libs.
program() {
	folder=$(dirname "$1")
	name=$(basename "$1")
	for file in "$build/$folder/.libs/$name" "$build/$folder/.libs/lt-$name" "$build/$1"; do
		if [ -f "$file" ]; then
			cp "$file" "$2/"
			return
		fi
	done
	say "$1 is not built"
}

cp -P "$build"/.libs/libscanrt.so* "$stage/lib/"
for file in "$build"/.libs/libscanrt-emu.so "$build"/emu/.libs/libscanrt-emu.so; do
	[ ! -f "$file" ] || cp "$file" "$stage/lib/"
done
cp "$build/bench/driver_calls.so" "$stage/lib/"
program scantune "$stage/bin"
program examples/line_index "$stage/bin"
program examples/prefix_sum "$stage/bin"
program bench/first_scan "$stage/bin"
program bench/table "$stage/bin"
for file in peers.so peers_user.so; do
	[ ! -f "$build/bench/$file" ] || cp "$build/bench/$file" "$stage/lib/"
done
for tier in gpu long; do
	for source in "$source_dir/tests/$tier"/*.c; do
		name=$(basename "$source" .c)
		[ ! -x "$build/tests/$tier/$name" ] || program "tests/$tier/$name" "$stage/tests/$tier"
	done
done
cp "$source_dir/bench/h200.sh" "$stage/"
chmod +x "$stage/h200.sh"
git -C "$source_dir" rev-parse --short=12 HEAD >"$stage/commit" 2>/dev/null || echo unknown >"$stage/commit"
find "$stage/bin" "$stage/tests" "$stage/lib" -type f -exec strip --strip-unneeded {} + 2>/dev/null || true
say "$(du -sh "$stage" | cut -f1) in $stage"
