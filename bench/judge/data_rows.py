"""What `data` measures: each row's work, goal and sides."""
import subprocess

from judge import plans
from judge.contest import Row
from judge.loader_rows import LOADER_ROWS
from judge.material import AVI_SIZE, FRAMES, SIZE, SMALL_SIZE
from judge.sides import reporting, stopwatch

READERS = {"torchcodec": "torchcodec", "torchcodec_approximate": "torchcodec", "pyav": "av", "opencv": "cv2",
           "decord": "decord"}


def plan_file(setting, name, lines):
    path = setting.folder / "plans" / f"{name}.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines))
    return path


def plan_sides(setting, plan, threads, left_out):
    sides = [reporting("kinema", [setting.kinema, "data", "bench", plan, "--threads", threads, "--json"], "kinema")]
    for name, module in READERS.items():
        if module not in setting.modules:
            left_out[name] = f"{module} is not installed"
            continue
        sides.append(reporting(name, [setting.python, setting.peers / "decode.py", name, plan, "--threads", threads]))
    return sides


def random_row(gop, threads):
    def make(setting, left_out):
        files = [(path, FRAMES) for path in setting.material.h264(gop)]
        plan = plan_file(setting, f"random_gop{gop}", plans.random_clips(files, SIZE, 48, 32, 2, 256, 224))
        return plan_sides(setting, plan, threads, left_out)
    return Row(f"random_gop{gop}_threads{threads}", f"random 32x2 clips of 340x256 H.264 (10 s, x264 medium, B-frames, "
               f"GOP {gop}), crop 224, {threads} thread(s)", 1.8, make)


def avi_row(threads):
    def make(setting, left_out):
        lines = plans.random_clips(setting.material.avi(), AVI_SIZE, 480, 16, 2, 128, 112)
        return plan_sides(setting, plan_file(setting, "avi", lines), threads, left_out)
    return Row(f"avi_threads{threads}", "16x2 clips of short MPEG-4 AVI of 180x144 (36 to 120 frames), short side 128, "
               f"crop 112, {threads} thread(s)", 1.5, make)


def uniform(setting, left_out):
    files = [(path, FRAMES) for path in setting.material.h264(250)]
    plan = plan_file(setting, "uniform", plans.uniform_frames(files, SIZE, 32, 8, 256, 224))
    return plan_sides(setting, plan, 1, left_out)


def first_of_small(setting, left_out):
    plan = plan_file(setting, "small", plans.first_frames(setting.material.small(), SMALL_SIZE, 16, 128, 112))
    return plan_sides(setting, plan, 1, left_out)


WHOLE = {"side": 224, "crop": 224, "piece": 60}


def ffmpeg(path, *rest):
    return ["ffmpeg", "-nostdin", "-v", "error", "-threads", 1, "-filter_threads", 1, "-i", path, *rest]


def frame_means(path, filters):
    """Of each piece's frames; each frame is made one pixel by ffmpeg itself."""
    command = ffmpeg(path, "-vf", f"{filters},scale=1:1:flags=area", "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
    out = subprocess.run([str(word) for word in command], capture_output=True, check=True).stdout
    length = 3 * WHOLE["piece"]
    pieces = [out[at:at + length] for at in range(0, len(out), length)]
    return {"means": [[sum(piece[c::3]) / (len(piece) / 3) for c in range(3)] for piece in pieces],
            "frames": len(out) // 3}


def whole_row(gop):
    def make(setting, left_out):
        path, length = setting.material.long(gop), 6 * FRAMES
        plan = plan_file(setting, f"whole_gop{gop}", plans.whole_file(path, SIZE, length, **WHOLE))
        (y, x), (width, height) = plans.centre(SIZE, WHOLE["side"], WHOLE["crop"]), plans.scaled(SIZE, WHOLE["side"])
        crop, side = WHOLE["crop"], min(SIZE)
        filters = {"ffmpeg": f"scale={width}:{height}:flags=bilinear,crop={crop}:{crop}:{x}:{y},format=rgb24",
                   "ffmpeg_crop_first": f"crop={side}:{side},scale={crop}:{crop}:flags=bilinear,format=rgb24"}
        start = ffmpeg(path, "-frames:v", 1, "-f", "null", "-")
        sides = [reporting("kinema", [setting.kinema, "data", "bench", plan, "--threads", 1, "--json"], "kinema")]
        for name, chain in filters.items():
            sides.append(stopwatch(name, ffmpeg(path, "-vf", chain, "-f", "rawvideo", "-y", "/dev/null"), start,
                                   {"frames": length}, check=lambda chain=chain: frame_means(path, chain)))
        sides.append(stopwatch("decode_alone", ffmpeg(path, "-f", "null", "-"), start, {"frames": length}, "reference"))
        return sides
    return Row(f"whole_gop{gop}", f"whole file of a minute, 340x256 H.264, GOP {gop}: short side 224, crop 224, RGB, "
               "1 thread", 1.35, make, unit="frames",
               limits=(("decode_alone", 1 / 1.2, "at most 1.2 times the time of decoding alone"),))


ROWS = [random_row(gop, threads) for gop in (250, 12) for threads in (1, 2)]
ROWS += [avi_row(1), avi_row(2), whole_row(250), whole_row(12)]
ROWS += [Row("uniform_8", "8 uniform frames of a file, 340x256 H.264, GOP 250, crop 224, 1 thread", 1.5, uniform),
         Row("first_16_of_small", "first 16 frames of 1,000 files of two to three seconds, 320x240 H.264, each opened "
             "once, short side 128, crop 112, 1 thread", 2, first_of_small)]
ROWS += LOADER_ROWS
