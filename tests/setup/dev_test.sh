#!/usr/bin/env bash
# dev_test.sh CASE: one case of what ./dev promises. KINEMA_TORCH_ROOT names the LibTorch of this build.
# Nothing is installed or fetched: apt is never called, pip has no index, the cache is an empty folder.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
export XDG_CACHE_HOME=$empty PIP_NO_INDEX=1 PIP_FIND_LINKS=$empty
folder=$empty/kinema/torch-2.11.0

skip() {
  echo "skipped: $1"
  exit 77
}

# expect STATUS TEXT COMMAND...: the exit status, and TEXT somewhere in what is printed.
expect() {
  local status=0 output
  output=$("${@:3}" 2>&1) || status=$?
  if [[ $status != "$1" || $output != *"$2"* ]]; then
    printf 'expected exit %s and "%s"\ngot exit %s and:\n%s\n' "$1" "$2" "$status" "$output"
    exit 1
  fi
}

expect_no_torch() {
  local left
  left=$(find "$empty" -name 'torch-2.11.0*' ! -name '*.whl')
  [[ -z $left ]] || { echo "expected nothing in the cache, got $left" && exit 1; }
}

# pretend_installed [EXCEPT]: dpkg knows every package but EXCEPT, so that no case ever calls apt.
pretend_installed() {
  mkdir "$empty/bin"
  cat >"$empty/bin/dpkg-query" <<SH
#!/bin/sh
case \$* in *" ${1:-none}") exit 1 ;; *) echo "install ok installed" ;; esac
SH
  chmod +x "$empty/bin/dpkg-query"
  export PATH=$empty/bin:$PATH
}

need_packages() { command -v dpkg-query >/dev/null || skip "packages are not dpkg's here"; }

is_valid_bash() { bash -n "$root/dev"; }

check_passes_where_everything_is_installed() {
  need_packages
  expect 0 "complete: the packages and LibTorch in $KINEMA_TORCH_ROOT" "$root/dev" deps --check
}

check_names_libtorch_when_the_cache_is_empty() {
  unset KINEMA_TORCH_ROOT
  expect 1 "missing: LibTorch             expected the wheels of cmake/torch-wheels.txt in $folder, got none" \
    "$root/dev" deps --check
  expect 1 "hint: ./dev deps installs what is missing" "$root/dev" deps --check
}

check_names_a_missing_package_and_what_it_is_for() {
  pretend_installed libxxhash-dev
  expect 1 "missing: libxxhash-dev        checksums, cache keys" "$root/dev" deps --check
}

check_rejects_a_cache_made_for_other_wheels() {
  unset KINEMA_TORCH_ROOT
  mkdir -p "$folder/torch/lib" "$folder/torch/include/ATen/core"
  touch "$folder/torch/lib/libtorch_cpu.so" "$folder/torch/lib/libc10.so" "$folder/torch/include/ATen/core/Tensor.h"
  echo "torch==2.10.0" >"$folder/complete"
  expect 1 "missing: LibTorch" "$root/dev" deps --check
}

deps_names_a_wrong_torch_root() {
  pretend_installed
  expect 1 "dev: KINEMA_TORCH_ROOT: expected $empty/lib/libtorch_cpu.so, got no such file" \
    env KINEMA_TORCH_ROOT="$empty" "$root/dev" deps
}

a_failed_fetch_leaves_nothing_behind() {
  pretend_installed
  unset KINEMA_TORCH_ROOT
  expect 1 "dev: LibTorch: expected pip to fetch the three wheels of cmake/torch-wheels.txt" "$root/dev" deps
  expect_no_torch
}

a_wheel_with_another_hash_is_refused() {
  pretend_installed
  unset KINEMA_TORCH_ROOT
  echo "not torch" >"$empty/torch-2.11.0-cp311-cp311-manylinux_2_28_x86_64.whl"
  expect 1 "DO NOT MATCH THE HASHES" "$root/dev" deps
  expect_no_torch
}

an_unknown_command_is_a_usage_error() {
  expect 2 "dev: command: expected one of deps build demo test bench format lint run help, got biuld" "$root/dev" biuld
  expect 2 "hint: ./dev help lists the commands" "$root/dev" biuld
}

an_unknown_preset_is_a_usage_error() {
  expect 2 "dev: preset: expected one of asan debug release, got fast" "$root/dev" build fast
}

bench_lists_its_groups() {
  expect 0 "groups: micro data" "$root/dev" bench
  expect 2 "dev: bench: expected one of micro data" "$root/dev" bench dta
}

bench_says_what_a_group_measures() {
  expect 0 "random_gop250_threads1    1.8x  random 32x2 clips" "$root/dev" bench data --list
  expect 2 "expected names that --list shows, got randm" "$root/dev" bench data --list --row randm
}

bench_names_a_wrong_peer_python() {
  expect 2 "dev: KINEMA_PEER_PYTHON: expected a Python, got $empty/python" \
    env KINEMA_PEER_PYTHON="$empty/python" "$root/dev" bench data --list
}

peers_that_cannot_be_fetched_are_an_error() {
  pretend_installed
  /usr/bin/python3 -m venv "$empty/try" >/dev/null 2>&1 || skip "this Python makes no environments"
  expect 2 "dev: bench --install-peers: expected nothing more, got all" "$root/dev" bench --install-peers all
  expect 1 "dev: peers: expected pip to install bench/peers/requirements.txt" "$root/dev" bench --install-peers
  [[ ! -e $empty/kinema/peers/complete ]] || { echo "expected no complete peers, got some" && exit 1; }
}

help_names_every_command() {
  local command
  for command in deps build demo test bench format lint run; do expect 0 "  $command " "$root/dev" help; done
}

"$1"
