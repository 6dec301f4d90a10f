#!/usr/bin/env python3
"""The data path of kinema and of its peers, in turns on one machine. Started by ./dev bench data; the standard
library alone is needed here, the peers run in a Python of their own (KINEMA_PEER_PYTHON, or the one that
./dev bench --install-peers makes)."""
import argparse
import dataclasses
import hashlib
import os
import pathlib
import subprocess
import sys

from judge import clips, contest, data_rows, report
from judge.material import Material
from judge.sides import printed_json

HERE = pathlib.Path(__file__).resolve().parent
VIDEOS = {".mp4", ".avi", ".mkv", ".webm", ".mov"}


@dataclasses.dataclass
class Setting:
    kinema: str
    folder: pathlib.Path
    material: Material
    python: str
    modules: dict  # of the peers' Python: name -> version
    peers: pathlib.Path = HERE / "peers"


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench data", description=__doc__)
    parser.add_argument("--row", action="append", default=[], metavar="NAME", help="this one alone; may be repeated")
    parser.add_argument("--repeats", type=int, default=7, metavar="N", help="times that each side runs")
    parser.add_argument("--videos", metavar="FOLDER", help="make the clips from these videos, not from drawn scenes")
    parser.add_argument("--list", action="store_true", help="say which rows there are")
    parser.add_argument("--kinema", default=HERE.parent / "build/release/bin/kinema", help=argparse.SUPPRESS)
    parser.add_argument("--output", type=pathlib.Path, default=HERE.parent / "build/bench", metavar="FOLDER",
                        help="where data.json, data.md and the clips go; build/bench")
    given = parser.parse_args()
    unknown = set(given.row) - {row.name for row in data_rows.ROWS}
    if unknown:
        parser.error(f"--row: expected names that --list shows, got {', '.join(sorted(unknown))}")
    if given.repeats < 1:
        parser.error(f"--repeats: expected at least 1, got {given.repeats}")
    return given


def material(given):
    """Another generator or other videos make other clips: they do not get the same folder."""
    videos = sorted(path for path in pathlib.Path(given.videos).rglob("*") if path.suffix in VIDEOS) \
        if given.videos else []
    if given.videos and not videos:
        sys.exit(f"data: --videos: expected videos in {given.videos}, got none")
    key = pathlib.Path(clips.__file__).read_bytes() + "".join(map(str, videos)).encode()
    return Material(given.output / f"clips-{hashlib.sha1(key).hexdigest()[:8]}", videos)


def peer_modules(python):
    if not python:
        return {}
    return printed_json([python, HERE / "peers" / "versions.py"])


def say(line):
    print(line, file=sys.stderr, flush=True)


def main():
    given = arguments()
    if given.list:
        for row in data_rows.ROWS:
            print(f"{row.name:<26}{row.goal}x  {row.work}")
        return
    python = os.environ.get("KINEMA_PEER_PYTHON", "")
    modules = peer_modules(python)
    if not modules:
        say("data: no peers: expected KINEMA_PEER_PYTHON or ./dev bench --install-peers, got neither")
    setting = Setting(str(given.kinema), given.output, material(given), python, modules)
    facts = {"machine": report.machine(), "peers": modules, "repeats": given.repeats,
             "ffmpeg": subprocess.run(["ffmpeg", "-version"], capture_output=True, text=True).stdout.split("\n")[0],
             "clips": str(given.videos or "drawn")}
    rows = []
    for row in data_rows.ROWS:
        if given.row and row.name not in given.row:
            continue
        rows.append(contest.contest(row, setting, given.repeats, say))
        print(report.text(rows[-1]), flush=True)
        report.write(given.output, "data", facts, rows)
    print(f"\n{given.output}/data.json, {given.output}/data.md")


if __name__ == "__main__":
    main()
