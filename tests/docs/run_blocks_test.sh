#!/usr/bin/env bash
# run_blocks_test.sh CASE: one case of what run_blocks.sh promises, with a stand-in for the program.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
printf '#!/bin/sh\necho "kinema $*" >>calls\ntest "$1" != broken\n' >"$folder/bin/kinema"
chmod +x "$folder/bin/kinema"
unset KINEMA_REAL_DATA

# expect STATUS TEXT: what running the document on stdin ends with, and what is printed.
expect() {
  local status=0 output
  cat >"$folder/page.md"
  output=$("$here/run_blocks.sh" "$folder/bin/kinema" "$folder/page.md" "$folder/scratch" 2>&1) || status=$?
  if [[ $status != "$1" || $output != *"$2"* ]]; then
    printf 'expected exit %s and "%s"\ngot exit %s and:\n%s\n' "$1" "$2" "$status" "$output"
    exit 1
  fi
}

calls() { cat "$folder/scratch/work/calls"; }

blocks_run_in_order_in_one_folder() {
  expect 0 "page.md: 2 blocks ran" <<'MD'
```sh run
kinema one && mkdir made
```
text
```
not a command
```
```sh run
cd made && kinema two
```
MD
  [[ $(calls) == "kinema one" && $(cat "$folder/scratch/work/made/calls") == "kinema two" ]]
}

a_broken_command_fails_and_stops() {
  expect 1 "page.md:1: the block ended with 1:" <<'MD'
```sh run
kinema broken
kinema after
```
MD
  [[ $(calls) == "kinema broken" ]]
}

a_call_that_is_not_marked_is_a_mistake() {
  expect 1 "page.md:2: a block that calls kinema: expected the mark run or skip, got neither" <<'MD'
text
```sh
kinema train x.toml
```
MD
  expect 0 "page.md: 0 blocks ran" <<'MD'
```sh skip
kinema train x.toml
```
MD
}

a_block_without_an_end_is_a_mistake() {
  expect 1 "page.md:1: a block without an end" <<'MD'
```sh run
kinema one
MD
}

blocks_over_data_wait_for_data() {
  local page='```sh run data
kinema train "$KINEMA_REAL_DATA"
```'
  expect 77 "page.md:1: left out: KINEMA_REAL_DATA names no data" <<<"$page"
  KINEMA_REAL_DATA=here expect 0 "page.md: 1 blocks ran" <<<"$page"
  [[ $(calls) == "kinema train here" ]]
}

"$1"
