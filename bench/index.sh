#!/usr/bin/env bash
# Indexing 1,000 small files: kinema (one process, one thread) against ffprobe's packet scan (a process a file, of
# a tenth of the files at a time), in turns.
# usage: bench/index.sh [REPEATS]          needs ffmpeg and ffprobe; KINEMA=path/to/kinema, FOLDER=where the files are
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
kinema=${KINEMA:-$root/build/release/bin/kinema}
folder=${FOLDER:-${TMPDIR:-/tmp}/kinema-index-bench}
repeats=${1:-7}
files=1000

make_files() {
  local kind
  rm -rf "$folder"
  mkdir -p "$folder/files" "$folder/one"
  for kind in 0 1 2 3; do
    ffmpeg -v error -f lavfi -i "testsrc2=size=340x256:rate=25:duration=$((3 + kind))" -c:v libx264 -preset medium \
      -g $((kind % 2 == 0 ? 250 : 12)) -pix_fmt yuv420p -threads 1 "$folder/$kind.mp4"
    ffmpeg -v error -f lavfi -i "testsrc2=size=180x144:rate=25:duration=$((2 + kind))" -c:v mpeg4 -q:v 5 -threads 1 \
      "$folder/$kind.avi"
  done
  for ((i = 0; i < files; i++)); do
    if ((i % 2 == 0)); then cp "$folder/$((i / 2 % 4)).mp4" "$folder/files/$i.mp4"; else cp "$folder/$((i / 2 % 4)).avi" "$folder/files/$i.avi"; fi
  done
  cp "$folder/files/0.mp4" "$folder/one"
  touch "$folder/complete"
}
[[ -e $folder/complete ]] || make_files

seconds() {  # COMMAND...
  local from=$EPOCHREALTIME
  "$@" >/dev/null 2>&1
  awk -v from="$from" -v to="$EPOCHREALTIME" 'BEGIN {print to - from}'
}
index_all() { "$kinema" data check "$folder/files" --quick --threads 1 --json; }
index_one() { "$kinema" data check "$folder/one" --quick --threads 1 --json; }
scan_tenth() {  # R: another tenth of the files each time
  local i
  for ((i = $1 % 10; i < files; i += 10)); do
    ffprobe -v error -threads 1 -select_streams v:0 -show_packets -of csv "$(ls "$folder/files/$i".*)"
  done
}
start_ffprobe() { for _ in {1..20}; do ffprobe -v error -version; done; }

index_all >/dev/null 2>&1  # everything is in the page cache from now on
for ((r = 1; r <= repeats; r++)); do
  echo "$(seconds index_all) $(seconds index_one) $(seconds scan_tenth "$r") $(seconds start_ffprobe)"
done | awk -v files="$files" '
  {ours = $1; theirs = 10 * $3; ratio[NR] = theirs / ours
   bare[NR] = (theirs - files * $4 / 20) / (ours - $2)
   printf "run %d: kinema %.2f s (%.2f s of them to start), ffprobe %.2f s (%.2f s), ratio %.1f, without starts %.1f\n",
     NR, ours, $2, theirs, files * $4 / 20, ratio[NR], bare[NR]; fflush()}
  function median(v, n,    i, j, t) {
    for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (v[j] < v[i]) {t = v[i]; v[i] = v[j]; v[j] = t}
    return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
  }
  END {printf "%d files, medians of %d: ratio %.1f, without the starts of processes %.1f\n", files, NR, median(ratio, NR), median(bare, NR)}'
