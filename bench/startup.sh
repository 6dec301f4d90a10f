#!/usr/bin/env bash
# Wall seconds of `kinema check` on the demo's experiment, warm: minimum, median, maximum of seven runs.
# usage: startup.sh [KINEMA]
set -euo pipefail
kinema=$(realpath "${1:-build/release/bin/kinema}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
"$kinema" demo --eject project >/dev/null 2>&1
"$kinema" check project/demo.toml >/dev/null
for _ in 1 2 3 4 5 6 7; do
  begin=$(date +%s.%N)
  "$kinema" check project/demo.toml >/dev/null
  echo "$(date +%s.%N) $begin" | awk '{ printf "%.3f\n", $1 - $2 }'
done | sort -n | awk '{ v[NR] = $1 } END { print "kinema check: min", v[1], "median", v[4], "max", v[7], "s" }'
