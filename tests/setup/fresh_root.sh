#!/usr/bin/env bash
# Runs a command in a minimal Debian 12 (no compiler, no CUDA, no caches): a newcomer's machine.
#   tests/setup/fresh_root.sh ROOT_DIR ["COMMAND"]        COMMAND is ./dev test when not given
# Needs root and debootstrap. HEAD is cloned to /kinema inside. The root is kept: a second run shows a warm machine,
# --offline before ROOT_DIR runs it without a network; delete ROOT_DIR (about 3 GB after a build) when done.
# Package source, pip configuration, name resolution and certificates are this machine's own.
set -euo pipefail

usage() {
  echo "usage: fresh_root.sh [--offline] ROOT_DIR [COMMAND]" >&2
  exit 2
}

offline=0
if [[ ${1:-} == --offline ]]; then
  offline=1
  shift
fi
(($# == 1 || $# == 2)) || usage
fresh=$1
command=${2:-./dev test}
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")" && git rev-parse --show-toplevel)
[[ $(id -u) == 0 ]] || { echo "fresh_root: user: expected root, got $(id -un)" >&2 && exit 1; }
command -v debootstrap >/dev/null || {
  printf 'fresh_root: expected debootstrap, got none\nhint: apt-get install --no-install-recommends debootstrap\n' >&2
  exit 1
}

make_root() {
  local mirror
  # shellcheck disable=SC2016
  mirror=$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 == "bookworm" && $2 == "main" {print $3; exit}')
  if [[ -z $mirror ]]; then
    echo "fresh_root: expected a package source for bookworm main in this machine's apt, got none" >&2
    exit 1
  fi
  rm -rf "$fresh.partial"
  debootstrap --variant=minbase --include=ca-certificates,git bookworm "$fresh.partial" "$mirror" >"$fresh.log" 2>&1 || {
    echo "fresh_root: debootstrap failed: $fresh.log" >&2
    exit 1
  }
  mv -T "$fresh.partial" "$fresh"
}

copy_network() {
  cp -L /etc/resolv.conf /etc/hosts "$fresh/etc/"
  cp -L /etc/ssl/certs/ca-certificates.crt "$fresh/etc/ssl/certs/"
  cp -r /etc/apt/apt.conf.d/. "$fresh/etc/apt/apt.conf.d/"
  if [[ -e /etc/pip.conf ]]; then cp -L /etc/pip.conf "$fresh/etc/"; fi
}

# Mounts live in a mount name space of their own and vanish with the command, however it ends.
enter() {
  local kept=() spaces=(--mount --fork --pid) name
  while read -r name; do kept+=("$name=${!name}"); done < <(compgen -e |
    grep -iE '^(PIP_.*|SSL_CERT_.*|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE|GIT_SSL_.*|https?_proxy|no_proxy)$' || true)
  if ((offline)); then spaces+=(--net); fi
  # shellcheck disable=SC2016
  unshare "${spaces[@]}" bash -c '
    mount --rbind /dev "$1/dev" && mount --rbind /sys "$1/sys" && mount -t proc proc "$1/proc" || exit 1
    [[ $2 == 0 ]] || ip link set lo up 2>/dev/null || true
    exec chroot "$1" env -i HOME=/root TERM="${TERM:-dumb}" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      "${@:4}" bash -c "cd /kinema && $3"' enter "$fresh" "$offline" "$command" "${kept[@]}"
}

if [[ ! -e $fresh/etc/debian_version ]]; then make_root; fi
copy_network
rm -rf "$fresh/kinema"
git clone -q --no-hardlinks "$repository" "$fresh/kinema"
enter
