#!/usr/bin/env bash
# Trains a backbone, then a head of its own on it. usage: run.sh KINEMA SCRATCH_FOLDER
# The plugin is looked for where the build leaves it; KINEMA_PLUGIN_PATH names another place.
set -euo pipefail
kinema=$1
here=$(cd "$(dirname "$0")" && pwd)
export KINEMA_PLUGIN_PATH=${KINEMA_PLUGIN_PATH:-$(cd "$(dirname "$kinema")/.." && pwd)/examples/plugins}
cd "$2"

"$kinema" demo --eject project
"$kinema" train project/demo.toml trainer.epochs=1 model.type=resnet3d 'model.blocks=[1,1]' model.width=8
backbone=$(realpath runs/demo/latest/checkpoints/last)

# The same data and schedule; the backbone starts with those weights and does not learn, the head does.
"$kinema" train project/demo.toml trainer.epochs=1 name=own_head "model=@$here/model.toml" \
  "model.weights=$backbone" model.strict=false 'model.freeze=["^backbone"]'
"$kinema" predict runs/own_head/latest/checkpoints/last project/clips/test/left/000.mp4
