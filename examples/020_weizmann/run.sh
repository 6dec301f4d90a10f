#!/usr/bin/env bash
# A short training run on the Weizmann actions; succeeds when the held-out top-1 is at least 60 %.
# usage: run.sh KINEMA SCRATCH_FOLDER     KINEMA_REAL_DATA names the data; without it: exit 77 (skipped)
set -euo pipefail
kinema=$1
here=$(cd "$(dirname "$0")" && pwd)
cd "$2"
if [ -z "${KINEMA_REAL_DATA:-}" ]; then
  echo "skipped: KINEMA_REAL_DATA does not name a folder with actions/weizmann"
  exit 77
fi
rm -rf runs
"$kinema" train "$here/weizmann.toml" trainer.epochs="${EPOCHS:-25}" trainer.eval_every="${EPOCHS:-25}" \
  clip.eval.temporal_views=5 clip.eval.spatial_crops=1
"$kinema" predict runs/weizmann/latest/checkpoints/last "$KINEMA_REAL_DATA/actions/weizmann/wave2/lyova_wave2.avi"
"$kinema" eval runs/weizmann/latest/checkpoints/last |
  awk '$1 == "val/top1" { found = 1; print "held-out top-1", $2, "expected at least 0.6"; exit !($2 >= 0.6) }
       END { if (!found) exit 1 }'
