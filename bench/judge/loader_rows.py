"""The rows of `data` that go through the loader of an experiment."""
from judge.contest import Row
from judge.sides import NotAvailable, printed_json, reporting, timed

DRAWS = 20  # clips of each of eight files in an epoch
LOADERS = {"dataloader_torchcodec": "torchcodec", "dataloader_pyav": "av"}

EXPERIMENT = """name = "bench"
seed = 1
[model]
type = "resnet3d"
[data.train]
type = "video_folder"
root = "{root}"
[clip]
frames = 32
stride = 2
crop = 224
[clip.train]
short_side = {short_side}
clips_per_video = {draws}
[loader]
batch = 8
workers = 2
{loader}
[trainer]
eval_every = 0
"""


def experiment(setting, name, gop, short_side, loader=""):
    root = setting.material.h264(gop)[0].parent.parent.resolve()
    path = setting.folder / "plans" / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(EXPERIMENT.format(root=root, short_side=short_side, draws=DRAWS, loader=loader))
    return path


def kinema(setting, name, path, epochs=2, role="kinema"):
    return reporting(name, [setting.kinema, "data", "bench", path, "--epochs", epochs, "--json"], role)


def known_key(setting, path, key):
    """Whether this kinema has it: `check` alone knows."""
    try:
        printed_json([setting.kinema, "data", "bench", path, "--json"])
    except NotAvailable as problem:
        raise NotAvailable(f"{key}: {problem}") from problem


def peers(setting, names, gop, short_side, left_out):
    root = setting.material.h264(gop)[0].parent.parent
    for name, module in names.items():
        if module not in setting.modules or "torch" not in setting.modules:
            left_out[name] = f"{module} and torch are not both installed"
            continue
        source = name.removeprefix("dataloader_")
        yield reporting(name, [setting.python, setting.peers / "load.py", source, root, "--draws", DRAWS,
                               "--short-side", *short_side])


def loader(setting, left_out):
    jitter = [256, 320]
    return [kinema(setting, "kinema", experiment(setting, "loader", 250, jitter)),
            *peers(setting, LOADERS, 250, jitter, left_out)]


def cache(setting, left_out):
    path = experiment(setting, "cache", 12, [256], '[loader.cache]\nstore = "memory"\nbudget_gb = 4\n')
    known_key(setting, path, "[loader.cache]")
    # Two epochs fill the cache; the peer decodes everything beforehand.
    sides = [kinema(setting, "kinema", path, epochs=3), *peers(setting, {"dataloader_memory": "av"}, 12, [256, 256], left_out)]
    if "numpy" in setting.modules:
        sides.append(reporting("memcpy", [setting.python, setting.peers / "memcpy.py"], "reference"))
    return sides


def shards(setting, left_out):
    originals = experiment(setting, "originals", 250, [256])
    folder = setting.folder / "shards"
    path = experiment(setting, "shards", 250, [256], f'shards = "{folder.resolve()}"')
    if not folder.exists():
        timed([setting.kinema, "data", "shard", originals, "--output", folder])
    known_key(setting, path, "[loader] shards")
    return [kinema(setting, "kinema", path), kinema(setting, "originals", originals, role="peer")]


LOADER_ROWS = [
    Row("loader", "loader: 32x2 clips of 340x256 H.264, GOP 250, short side 256 to 320, random crop 224, flip, batches of 8 "
        "in bytes, 2 workers", 2, loader, levels=6),
    Row("cache", "loader from decoded frames in memory: 32x2, short side 256, random crop 224, flip, batches of 8, 2 "
        "workers", 5, cache, levels=6, limits=(("memcpy", .6, "60 % of what two threads copy"),)),
    Row("shards", "loader from shards against the same videos as they are: 32x2, short side 256, random crop 224, flip, 2 "
        "workers; kinema on both sides", 3, shards, levels=6)]
