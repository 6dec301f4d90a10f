#!/usr/bin/env bash
# Who may include what: the arrows between the rooms, and the one place of each library (docs/architecture.md).
# usage: layers_test.sh [ROOT]; prints each include that breaks a rule, and exits 1 when there is one.
#        layers_test.sh --self: breaks rules in a small tree of its own and looks whether that is found.
set -euo pipefail
own=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

self_test() {
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  mkdir -p "$tree"/{framework/{app,data,eval},plugins/{models,schedulers}/x,sdk/src}
  cp -r "$own/sdk/include" "$tree/sdk"
  "${BASH_SOURCE[0]}" "$tree" || { echo 'a tree without a fault was refused' && return 1; }
  while read -r file include; do
    printf '#include "%s"\n' "$include" >"$tree/$file"
    ! "${BASH_SOURCE[0]}" "$tree" >/dev/null || { echo "$file may not include $include, but did" && return 1; }
    rm "$tree/$file"
  done <<'TABLE'
framework/app/a.cc ATen/ops/zeros.h
framework/data/a.cc framework/eval/assembly.h
framework/data/a.h kinema/model.h
framework/eval/a.cc framework/train/trainer.h
framework/eval/a.h nlohmann/json.hpp
plugins/schedulers/x/x.cc kinema/layers.h
plugins/models/x/x.cc framework/eval/assembly.h
sdk/src/a.cc fmt/format.h
TABLE
}

[ "${1:-}" != --self ] || { self_test && exit 0 || exit 1; }
cd "${1:-$own}"
faults=0

# forbid FOLDER PATTERN WHY: no file below FOLDER includes a header that matches.
forbid() {
  local hits
  [ -d "$1" ] || return 0
  hits=$(grep -rnE --include='*.h' --include='*.cc' "^ *# *include *[<\"]($2)" "$1") || return 0
  printf '%s\n' "$hits" | sed "s|\$|    <- $3|"
  faults=1
}

# Every room of framework/ with the rooms that it may include besides itself.
rooms() {
  cat <<'TABLE'
app train infer eval weights detection flow data tracking checkpoint media plugin config
train infer eval weights detection data tracking checkpoint media plugin config
infer eval weights detection data checkpoint media plugin config
eval weights detection data checkpoint media plugin config
weights checkpoint config
flow data tracking media config
data tracking media config
tracking
detection
checkpoint
media
plugin
config
TABLE
}

torch='torch/[a-uw-z]|ATen/|c10/'  # torch/version.h is two macros
# SDK headers that bring torch along, directly or through one another.
for _ in 1 2 3; do
  carriers=$(grep -lE "^#include [<\"]($torch${sdk_torch:+|$sdk_torch})" sdk/include/kinema/*.h |
    sed 's|.*/include/||' | paste -sd'|')
  sdk_torch=$carriers
done
case $sdk_torch in
  *kinema/model.h*) ;;
  *) echo "layers_test.sh: no SDK header seems to include torch: the search is broken" && exit 1 ;;
esac

all=$(rooms | cut -d' ' -f1 | paste -sd'|')
while read -r room may; do
  others=$(printf '%s' "$all" | tr '|' '\n' | grep -vxE "$room${may:+|${may// /|}}" | paste -sd'|' || true)
  [ -z "$others" ] || forbid "framework/$room" "framework/($others)/" "$room may include: ${may:-no other room}"
  case $room in
    config | plugin | media | data | tracking | detection | flow)
      forbid "framework/$room" "$torch|$sdk_torch" "$room knows no torch" ;;
    app) forbid "framework/$room" "$torch" "$room leaves tensors to infer and eval" ;;
  esac
done < <(rooms)
for folder in framework/*/; do
  rooms | cut -d' ' -f1 | grep -qx "$(basename "$folder")" ||
    { echo "$folder: a room that the table in $0 does not know" && faults=1; }
done

# A library and the only folders that may include it.
while read -r pattern places; do
  for folder in sdk framework/*/ plugins/*/; do
    folder=${folder%/}
    case " $places " in *" $folder "*) continue ;; esac
    case $folder in framework/*) case " $places " in *" framework "*) continue ;; esac ;; esac
    forbid "$folder" "$pattern" "only $places may"
  done
done <<'TABLE'
boost/ framework/plugin
toml\+\+/ framework/config
libav|libsw framework/media
CLI/ framework/app
nlohmann/ framework/checkpoint framework/tracking framework/export framework/app plugins/datasets
xxhash framework/checkpoint framework/media framework/data
openssl/ framework/plugin
fmt/ framework
spdlog/ framework/tracking
TABLE
for folder in datasets callbacks schedulers; do
  forbid "plugins/$folder" "$torch|$sdk_torch" "plugins/$folder need no torch"
done
forbid plugins 'framework/' 'a plugin knows the SDK alone'
forbid sdk 'framework/|plugins/' 'the SDK knows neither host nor plugins'
forbid framework 'plugins/|(\.\./)+plugins' 'the host knows no plugin'
exit $faults
