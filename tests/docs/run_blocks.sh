#!/usr/bin/env bash
# Runs what a document says: its fenced blocks whose info line has the word `run`, top to bottom, in one empty folder, where
# `examples` leads to the examples. A block that calls kinema and is not to run says `skip` instead; one that says neither
# is a mistake. With the word `data` a block needs KINEMA_REAL_DATA.
# usage: run_blocks.sh KINEMA DOCUMENT SCRATCH_FOLDER      exit 77: nothing here could run
set -euo pipefail

bin=$(cd "$(dirname "$1")" && pwd)
document=$2 scratch=$3
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
rm -rf "$scratch"
mkdir -p "$scratch/blocks" "$scratch/work"
ln -s "$examples" "$scratch/work/examples"

# blocks/LINE.sh for each block to run, LINE.data for one that needs data; complaints go to stdout.
split='
  function words(text) { return " " text " " }
  !inside && /^```/ {
    inside = 1; start = NR; info = words(substr($0, 4)); calls = 0
    run = info ~ / run /; file = sprintf("%s/%04d.%s", folder, NR, info ~ / data / ? "data" : "sh")
    if (run) printf "" > file
    next
  }
  inside && /^```[ \t]*$/ {
    inside = 0
    if (calls && !run && info !~ / skip /)
      print name ":" start ": a block that calls kinema: expected the mark run or skip, got neither"
    next
  }
  inside { if (/(^|[ |;&(])kinema /) calls = 1; if (run) print > file }
  END { if (inside) print name ":" start ": a block without an end: expected ``` on a line of its own, got none" }'
complaints=$(awk -v folder="$scratch/blocks" -v name="$document" "$split" "$document")
if [[ -n $complaints ]]; then
  echo "$complaints"
  exit 1
fi

export PATH=$bin:$PATH NO_COLOR=1 KINEMA_SET='' KINEMA_PLUGIN_PATH=''
ran=0 left_out=0
for block in "$scratch"/blocks/*; do
  [[ -e $block ]] || break
  line=$((10#$(basename "${block%.*}")))
  if [[ $block == *.data && -z ${KINEMA_REAL_DATA:-} ]]; then
    echo "$document:$line: left out: KINEMA_REAL_DATA names no data"
    left_out=1
    continue
  fi
  status=0
  (cd "$scratch/work" && exec bash -eu "$block" </dev/null) || status=$?
  if ((status != 0)); then
    echo "$document:$line: the block ended with $status:"
    cat "$block"
    exit 1
  fi
  ran=$((ran + 1))
done
echo "$document: $ran blocks ran"
if ((ran == 0 && left_out)); then exit 77; fi
