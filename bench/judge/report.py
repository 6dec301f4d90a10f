"""A row in words, and all of them as Markdown and JSON."""
import json
import os
import platform


def machine():
    names = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return {"cpu": names[0] if names else platform.machine(), "cores": os.cpu_count(),
            "load_at_start": os.getloadavg()[0]}


def verdict(row):
    if "not_available" in row:
        return "not available"
    return "reached" if row["reached"] else "not reached"


def spread(side):
    return f"{side['median']:.1f} [{side['least']:.1f}-{side['most']:.1f}]"


def text(row):
    """For the terminal."""
    lines = [f"\n{row['row']}: {row['work']}"]
    if "not_available" in row:
        lines.append(f"  not available: {row['not_available']}")
    for name, side in row.get("sides", {}).items():
        pixels = ""
        if "largest_difference" in side and name != "kinema":
            pixels = f"  {side['largest_difference']:.2f} levels apart"
            pixels += "" if side["right"] else ": WRONG, does not count"
        lines.append(f"  {name:<24}{spread(side):>28} {row['unit']}"
                     f"{side['median_per_cpu_second']:>10.1f} a CPU second{pixels}")
    for name, reason in row["left_out"].items():
        lines.append(f"  {name:<24}left out: {reason}")
    if "ratio" in row:
        lines.append(f"  ratio {row['ratio']:.2f} to {row['ratio_to']}, by CPU seconds {row['cpu_ratio']:.2f} to "
                     f"{row['cpu_ratio_to']}; goal {row['goal']}: {verdict(row)}")
    for limit in row.get("limits", []):
        lines.append(f"  {limit['what']}: {limit['got']:.2f}, by CPU seconds {limit['got_by_cpu']:.2f}; wanted "
                     f"{limit['wanted']:.2f}")
    return "\n".join(lines)


def markdown(rows):
    lines = ["| work | kinema | best peer | ratio | by CPU seconds | goal |", "|---|---|---|---|---|---|"]
    for row in rows:
        if "ratio" not in row:
            lines.append(f"| {row['work']} | | {row.get('not_available', 'no peer')} | | | {row['goal']} |")
            continue
        best = row["sides"][row["ratio_to"]]
        limits = "".join(f"; {limit['what']}: {limit['got']:.2f} of {limit['wanted']:.2f}" for limit in row["limits"])
        lines.append(f"| {row['work']} | {spread(row['sides']['kinema'])} {row['unit']} | {row['ratio_to']} "
                     f"{spread(best)} | {row['ratio']:.2f} | {row['cpu_ratio']:.2f} | {row['goal']}: {verdict(row)}"
                     f"{limits} |")
    return "\n".join(lines) + "\n"


def write(folder, group, facts, rows):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{group}.json").write_text(json.dumps({**facts, "rows": rows}, indent=1) + "\n")
    (folder / f"{group}.md").write_text(markdown(rows))
