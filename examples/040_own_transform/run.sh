#!/usr/bin/env bash
# Trains with transforms of its own. usage: run.sh KINEMA SCRATCH_FOLDER
# The plugin is looked for where the build leaves it; KINEMA_PLUGIN_PATH names another place.
set -euo pipefail
kinema=$1
here=$(cd "$(dirname "$0")" && pwd)
export KINEMA_PLUGIN_PATH=${KINEMA_PLUGIN_PATH:-$(cd "$(dirname "$kinema")/.." && pwd)/examples/plugins}
cd "$2"

"$kinema" demo --eject project
cp "$here/own_transform.toml" .
"$kinema" describe transform cut_out
# The demo says clip.flip = false. That is training's alone, and the list stands for it: the key would do nothing, which is an error.
"$kinema" train own_transform.toml '~clip.flip' trainer.epochs=1

# Exactly what the trainer would see of item 3 in epoch 2; a second look is the same to the byte.
for look in first second; do
  "$kinema" data clip own_transform.toml '~clip.flip' --split train --index 3 --epoch 2 --output "$look.safetensors"
done
cmp first.safetensors second.safetensors
"$kinema" data clip own_transform.toml '~clip.flip' --split train --index 3 --epoch 3 --output other.safetensors
! cmp --quiet first.safetensors other.safetensors
