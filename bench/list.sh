#!/usr/bin/env bash
# What a list of 1,000,000 videos costs: `kinema check` on an experiment with 64 videos, with the list for training,
# and with it on both sides; processor seconds, wall seconds and peak memory, the best of three warm runs.
# usage: list.sh [KINEMA] [ENTRIES]
set -euo pipefail
kinema=$(realpath "${1:-build/release/bin/kinema}")
entries=${2:-1000000}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
awk -v n="$entries" 'BEGIN { for (i = 0; i < n; ++i) printf "class_%03d/video_%07d.mp4 %d\n", i % 400, i, i % 400 }' > list.txt
head -n 64 list.txt > few.txt
mkdir videos
(cd videos && mkdir $(seq -f 'class_%03g' 0 399) && cut -d ' ' -f 1 ../list.txt | xargs touch)
experiment() {  # name, list for training, list for evaluation or nothing
  printf '[model]\ntype = "resnet3d"\ndepth = 10\n[data.train]\ntype = "list"\nroot = "videos"\nlist = "%s"\n' "$2"
  [ -z "${3:-}" ] || printf '[data.val]\ntype = "list"\nroot = "videos"\nlist = "%s"\n' "$3"
  [ -n "${3:-}" ] || printf '[trainer]\neval_every = 0\n'
}
measure() {
  experiment "$@" > "$1.toml"
  for _ in 1 2 3; do
    python3 - "$kinema" "$1.toml" <<'PY'
import resource, subprocess, sys, time
begin = time.monotonic()
subprocess.run([sys.argv[1], "check", sys.argv[2]], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{used.ru_utime + used.ru_stime:.2f} {time.monotonic() - begin:.2f} {used.ru_maxrss * 1024 / 1e6:.0f}")
PY
  done | sort -n | awk -v what="$1" 'NR == 1 { print what ":", $1, "s of processors,", $2, "s wall,", $3, "MB" }'
}
measure few_items few.txt
measure training list.txt
measure both_sides list.txt list.txt
