"""Made clips: the same pictures on every machine with one version of the ffmpeg command. A textured scene under
a camera that sways, two things that move, rotate and cover each other, and a little noise: about as many bits and
B-frames as real clips of that size take."""
import pathlib
import random
import subprocess

X264 = ["-c:v", "libx264", "-preset", "medium", "-threads", "2"]


def texture(name, seed, size, grains):
    """A still picture of smooth noise: (size of a grain, strength) from coarse to fine."""
    width, height = size
    parts = []
    for k, (grain, strength) in enumerate(grains):
        small = [max(side // grain // 2 * 2, 4) for side in size]
        noise = ":".join(f"c{c}_seed={seed * 10 + k + c}:c{c}s={strength // (3 if c else 1)}" for c in range(3))
        parts.append(f"color=c=gray:s={small[0]}x{small[1]}:d=0.04:r=25,format=yuv420p,noise={noise},"
                     f"scale={width}:{height}:flags=bicubic[{name}{k}]")
    parts.append(f"[{name}0][{name}1]blend=all_mode=grainmerge[{name}m]")
    parts.append(f"[{name}m][{name}2]blend=all_mode=grainmerge,loop=-1:1:0,setpts=N/30/TB,fps=30[{name}]")
    return ";".join(parts)


def scene(seed, size):
    """An ffmpeg filter graph without inputs; [out] is endless."""
    width, height = size
    margin_x, margin_y = width // 8 // 2 * 2, height // 8 // 2 * 2
    thing = (width // 6 // 2 * 2, height // 2 // 2 * 2)
    draw = random.Random(seed)
    a, b, c = draw.uniform(.5, 1.2), draw.uniform(.4, 1), draw.uniform(.1, .5)
    return ";".join([
        texture("scene", seed, (width + 2 * margin_x, height + 2 * margin_y), [(24, 90), (6, 40), (2, 10)]),
        texture("thing", seed + 500, thing, [(20, 100), (6, 50), (2, 14)]),
        f"[scene]crop={width}:{height}:x='{margin_x}*(1+.6*sin({c}*t))+2*sin({7 * a}*t)'"
        f":y='{margin_y}*(1+.5*sin({c * .8}*t))+1.5*sin({9 * b}*t)'[camera]",
        "[thing]split[first][second]",
        f"[first]scale=w='{thing[0]}*(1+.15*sin({3 * a}*t))':h={thing[1]}:eval=frame[wide]",
        f"[second]rotate='.5*sin({5 * b}*t)':c=gray[turning]",
        f"[camera][wide]overlay=x='{width // 2}+{width // 3}*sin({a}*t)':y='{height // 3}+20*sin({3 * b}*t)'[one]",
        f"[one][turning]overlay=x='{width // 3}+{width // 4}*sin({b * 1.3}*t+1)'"
        f":y='{height // 4}+30*sin({2 * a}*t)'[two]",
        f"[two]noise=c0s=3:c0f=t:c0_seed={seed},format=yuv420p[out]"])


def ffmpeg(arguments, path):
    """Appears complete or not at all."""
    partial = path.with_name("partial." + path.name)
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments), str(partial)], check=True)
    partial.replace(path)


def make(path, seed, size, frames, encoder, video=None):
    """One clip of 30 frames a second, of a made scene or of a video that is repeated; one that is there stays."""
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    source = ["-filter_complex", scene(seed, size), "-map", "[out]", "-r", "30"]
    if video is not None:
        source = ["-stream_loop", "-1", "-i", video, "-an", "-sn", "-vf",
                  f"scale={size[0]}:{size[1]},setsar=1,fps=30,format=yuv420p"]
    ffmpeg([*source, "-frames:v", frames, *encoder], path)
    return path


def joined(path, parts):
    """All of them in one file, as they are encoded."""
    if not path.exists():
        listing = path.with_suffix(".txt")
        listing.write_text("".join(f"file '{pathlib.Path(part).resolve()}'\n" for part in parts))
        ffmpeg(["-f", "concat", "-safe", "0", "-i", listing, "-c", "copy"], path)
    return path
