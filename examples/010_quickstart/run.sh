#!/usr/bin/env bash
# The first ten minutes with kinema. usage: run.sh KINEMA SCRATCH_FOLDER
set -euo pipefail
kinema=$1
cd "$2"

"$kinema" demo --eject project                                    # clips and one experiment file: yours from here on
"$kinema" check project/demo.toml                                 # is everything there, does everything fit?
"$kinema" train project/demo.toml trainer.epochs=2 scheduler.type=constant optimizer.lr=0.002
"$kinema" eval runs/demo/latest/checkpoints/last
"$kinema" predict runs/demo/latest/checkpoints/last project/clips/test/left/000.mp4
