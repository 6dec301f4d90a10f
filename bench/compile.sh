#!/usr/bin/env bash
# CPU seconds to compile a model plugin and a data set plugin, without the compiler cache: three runs each.
# usage: compile.sh [BUILD_FOLDER]
set -euo pipefail
build=$(realpath "${1:-build/release}")
export CCACHE_DISABLE=1
for source in plugins/models/resnet3d/resnet3d.cc plugins/datasets/video_folder/video_folder.cc; do
  # the command of the compilation database, its output thrown away
  command=$(awk -v s="$source" '/"command":/ { line = $0 } $0 ~ "\"file\": .*" s "\"" { print line; exit }' \
    "$build/compile_commands.json" | sed -e 's/^ *"command": "//' -e 's/",$//' -e 's/\\"/"/g' -e 's/ -o [^ ]*/ -o \/dev\/null/')
  for _ in 1 2 3; do
    (cd "$build" && TIMEFORMAT="$source: %U s user" && time eval "$command")
  done
done
