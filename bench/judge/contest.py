"""One row: its sides in turns, the same number of times each, and what came out."""
import dataclasses
import statistics
import subprocess
from typing import Callable

from judge.sides import NotAvailable

FAILURES = (NotAvailable, subprocess.SubprocessError, OSError, ValueError, KeyError)


@dataclasses.dataclass
class Row:
    name: str
    work: str  # in words
    goal: float  # kinema's rate over the best peer's
    make: Callable  # setting -> sides; raises NotAvailable
    unit: str = "clips"
    levels: float = 2  # by which the means of a clip's channels may differ
    limits: tuple = ()  # (side, share of its rate that kinema is to reach, in words)


def contest(row, setting, repeats, say):
    """A plain dictionary, ready to be written."""
    outcome = {"row": row.name, "work": row.work, "goal": row.goal, "unit": f"{row.unit}/s", "left_out": {}}
    try:
        sides = row.make(setting, outcome["left_out"])
    except FAILURES as problem:
        return {**outcome, "not_available": str(problem)}
    checked = checks(sides, outcome["left_out"])
    runs = {side.name: [] for side in sides}
    for turn in range(repeats):
        say(f"{row.name}: turn {turn + 1} of {repeats}")
        shift = turn % max(len(sides), 1)  # nobody is always the one after the same other
        for side in sides[shift:] + sides[:shift]:
            if side.name in outcome["left_out"]:
                continue
            try:
                runs[side.name].append(side.run())
            except FAILURES as problem:
                outcome["left_out"][side.name] = str(problem)
    outcome["sides"] = {side.name: figures(side, runs[side.name], checked, row) for side in sides
                        if side.name not in outcome["left_out"]}
    return judged(outcome, row)


def checks(sides, left_out):
    found = {}
    for side in sides:
        if side.check is None:
            continue
        try:
            found[side.name] = side.check()
        except FAILURES as problem:
            left_out[side.name] = str(problem)
    return found


def rates(runs, unit, time):
    """Of work a second; time too short to measure counts as a microsecond."""
    return [run[unit] / max(run[time], 1e-6) for run in runs]


def figures(side, runs, checked, row):
    wall, cpu = rates(runs, row.unit, "seconds"), rates(runs, row.unit, "cpu_seconds")
    return {"role": side.role, "rates": wall, "median": statistics.median(wall), "least": min(wall),
            "most": max(wall), "rates_per_cpu_second": cpu, "median_per_cpu_second": statistics.median(cpu),
            **difference(checked.get(side.name), checked.get("kinema"), row.levels),
            **{key: runs[-1][key] for key in ("wait_s", "bytes") if key in runs[-1]}}


def difference(mine, kinemas, levels):
    """How far a side's pictures are from kinema's; nothing for a side that shows none."""
    if mine is None or kinemas is None:
        return {}
    pairs = zip(mine["means"], kinemas["means"])
    apart = max((abs(a - b) for x, y in pairs for a, b in zip(x, y)), default=0)
    same_count = len(mine["means"]) == len(kinemas["means"]) and mine.get("frames") == kinemas.get("frames")
    return {"largest_difference": apart, "right": same_count and apart <= levels}


def judged(outcome, row):
    sides = outcome["sides"]
    if "kinema" not in sides:
        return {**outcome, "not_available": f"kinema: {outcome['left_out'].get('kinema', 'no such side')}"}
    mine = sides["kinema"]
    rivals = {name: side for name, side in sides.items() if side["role"] == "peer" and side.get("right", True)}
    for measure, key in (("median", "ratio"), ("median_per_cpu_second", "cpu_ratio")):
        if rivals:
            best = max(rivals, key=lambda name: rivals[name][measure])
            outcome[key] = mine[measure] / rivals[best][measure]
            outcome[key + "_to"] = best
    outcome["limits"] = [
        {"what": words, "wanted": share, "got": mine["median"] / sides[name]["median"],
         "got_by_cpu": mine["median_per_cpu_second"] / sides[name]["median_per_cpu_second"]}
        for name, share, words in row.limits if name in sides]
    outcome["reached"] = (outcome.get("ratio", 0) >= row.goal
                          and all(limit["got"] >= limit["wanted"] for limit in outcome["limits"]))
    return outcome
