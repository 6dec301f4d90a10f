"""Random clips through kinema and through other readers, interleaved on the same machine: median, spread, ratio,
and how far the pixels are apart. Needs numpy, torch, av, torchcodec, opencv-python-headless and decord (those
that are missing are left out and said), and ffmpeg where --make is used.

usage: decode.py KINEMA PLAN [--threads N] [--repeats N] [--json FILE]
       decode.py --make FOLDER VIDEO...      ten-second H.264 files of 340x256 and plans of 32x2 clips from VIDEOs
A plan is what `kinema data bench` takes. Every reader has one decoder a thread and keeps the files open that it
used last; times are taken inside, from the first clip to the last.
"""
import argparse
import collections
import concurrent.futures
import importlib.util
import json
import pathlib
import random
import statistics
import subprocess
import sys
import threading
import time

PEERS = {"torchcodec": "torchcodec", "torchcodec_approximate": "torchcodec", "pyav": "av", "opencv": "cv2",
         "decord": "decord"}
Job = collections.namedtuple("Job", "path width height y x side crop frames")


def read_plan(file):
    jobs = []
    for line in pathlib.Path(file).read_text().splitlines():
        fields = line.split("\t")
        jobs.append(Job(fields[0], *map(int, fields[1:7]), [int(k) for k in fields[7].split(",")]))
    return jobs


def scaled_size(job):
    if job.side in (0, min(job.width, job.height)):
        return job.width, job.height
    if job.width <= job.height:
        return job.side, job.height * job.side // job.width
    return job.width * job.side // job.height, job.side


class TorchCodec:
    def __init__(self, seek):
        self.seek = seek

    def open(self, path):
        from torchcodec.decoders import VideoDecoder
        return VideoDecoder(path, dimension_order="NHWC", num_ffmpeg_threads=1, seek_mode=self.seek)

    def read(self, decoder, job):
        import torch
        frames = decoder.get_frames_at(job.frames).data
        width, height = scaled_size(job)
        if (width, height) != (job.width, job.height):
            frames = torch.nn.functional.interpolate(frames.permute(0, 3, 1, 2).float(), (height, width),
                                                     mode="bilinear").round().byte().permute(0, 2, 3, 1)
        return frames[:, job.y:job.y + job.crop, job.x:job.x + job.crop].contiguous().numpy()


class PyAV:
    def open(self, path):
        import av
        container = av.open(path)
        stream = container.streams.video[0]
        stream.thread_type = "NONE"
        stream.codec_context.thread_count = 1
        return container, stream, float(stream.average_rate), av.video.reformatter.VideoReformatter()

    def read(self, opened, job):
        import numpy as np
        container, stream, rate, scaler = opened
        wanted, last = set(job.frames), max(job.frames)
        first = (stream.start_time or 0) + int(min(job.frames) / rate / stream.time_base)
        container.seek(first, stream=stream, backward=True)
        width, height = scaled_size(job)
        found = {}
        for frame in container.decode(stream):
            number = round((frame.pts - (stream.start_time or 0)) * float(stream.time_base) * rate)
            if number in wanted:
                picture = scaler.reformat(frame, width=width, height=height, format="rgb24").to_ndarray()
                found[number] = picture[job.y:job.y + job.crop, job.x:job.x + job.crop]
            if number >= last:
                break
        return np.stack([found[k] for k in job.frames])


class OpenCV:
    def open(self, path):
        import cv2
        cv2.setNumThreads(1)
        return cv2.VideoCapture(path, cv2.CAP_FFMPEG, [cv2.CAP_PROP_N_THREADS, 1])

    def read(self, capture, job):
        import cv2
        import numpy as np
        capture.set(cv2.CAP_PROP_POS_FRAMES, min(job.frames))
        wanted, found = set(job.frames), {}
        for number in range(min(job.frames), max(job.frames) + 1):
            capture.grab()
            if number not in wanted:
                continue
            _, picture = capture.retrieve()
            size = scaled_size(job)
            if size != (job.width, job.height):
                picture = cv2.resize(picture, size, interpolation=cv2.INTER_LINEAR)
            found[number] = picture[job.y:job.y + job.crop, job.x:job.x + job.crop, ::-1]
        return np.stack([found[k] for k in job.frames])


class Decord:
    def open(self, path):
        import decord
        return decord.VideoReader(path, num_threads=1)

    def read(self, reader, job):
        import numpy as np
        frames = reader.get_batch(job.frames).asnumpy()
        if scaled_size(job) != (job.width, job.height):
            import cv2
            frames = np.stack([cv2.resize(f, scaled_size(job), interpolation=cv2.INTER_LINEAR) for f in frames])
        return np.ascontiguousarray(frames[:, job.y:job.y + job.crop, job.x:job.x + job.crop])


def reader_of(name):
    return {"torchcodec": lambda: TorchCodec("exact"), "torchcodec_approximate": lambda: TorchCodec("approximate"),
            "pyav": PyAV, "opencv": OpenCV, "decord": Decord}[name]()


def run_peer(name, plan, threads):
    """In a process of its own; prints what kinema prints."""
    try:
        import torch
        torch.set_num_threads(1)
    except ImportError:
        pass
    jobs, reader, local = read_plan(plan), reader_of(name), threading.local()

    def decode(job):
        if not hasattr(local, "open"):
            local.open = collections.OrderedDict()
        if job.path not in local.open:
            if len(local.open) == 8:
                local.open.popitem(last=False)
            local.open[job.path] = reader.open(job.path)
        local.open.move_to_end(job.path)
        return reader.read(local.open[job.path], job)

    warm = reader.read(reader.open(jobs[0].path), jobs[0])
    assert warm.shape[1:] == (jobs[0].crop, jobs[0].crop, 3), warm.shape
    begin, cpu = time.perf_counter(), time.process_time()
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        clips = list(pool.map(decode, jobs)) if threads > 1 else [decode(job) for job in jobs]
    print(json.dumps({"seconds": time.perf_counter() - begin, "clips": len(jobs),
                      "cpu_seconds": time.process_time() - cpu,
                      "means": [clip.reshape(-1, 3).mean(0).tolist() for clip in clips]}))


def measure(kinema, name, plan, threads):
    command = [kinema, "data", "bench", plan, "--threads", str(threads), "--check", "--json"]
    if name != "kinema":
        command = [sys.executable, __file__, "--peer", name, plan, "--threads", str(threads)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[-1:]
    return json.loads(done.stdout.strip().splitlines()[-1]), None


def compare(kinema, plan, threads, repeats, output):
    names = ["kinema"] + [n for n, module in PEERS.items() if importlib.util.find_spec(module)]
    for name in set(PEERS) - set(names):
        print(f"{name}: not installed, left out", file=sys.stderr)
    rates, means = collections.defaultdict(list), {}
    for _ in range(repeats):
        for name in list(names):
            result, problem = measure(kinema, name, plan, threads)
            if result is None:
                print(f"{name}: left out: {problem}", file=sys.stderr)
                names.remove(name)
                continue
            rates[name].append(result["clips"] / result["seconds"])
            means[name] = result["means"]
    best = max(statistics.median(rates[n]) for n in names if n != "kinema")
    rows = {}
    print(f"{'reader':<24}{'clips/s':>9}{'least':>8}{'most':>8}{'of best peer':>14}{'largest difference':>20}")
    for name in names:
        middle = statistics.median(rates[name])
        apart = max(abs(a - b) for x, y in zip(means[name], means["kinema"]) for a, b in zip(x, y))
        rows[name] = {"clips_per_s": rates[name], "median": middle, "mean_difference": apart}
        print(f"{name:<24}{middle:>9.1f}{min(rates[name]):>8.1f}{max(rates[name]):>8.1f}{middle / best:>13.2f}x"
              f"{apart:>20.2f}")
    if output:
        pathlib.Path(output).write_text(json.dumps({"plan": plan, "threads": threads, "readers": rows}, indent=1))


def make(folder, videos):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for gop in (250, 12):
        files = []
        for number, video in enumerate(videos):
            files.append(folder / f"{number}.g{gop}.mp4")
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-stream_loop", "30", "-i", video, "-an", "-t", "10", "-vf",
                            "scale=340:256,fps=30,format=yuv420p", "-c:v", "libx264", "-preset", "medium", "-g",
                            str(gop), files[-1]], check=True)
        draw = random.Random(1)
        lines = []
        for clip in range(40):
            start = draw.randint(0, 300 - 63)
            frames = ",".join(str(start + 2 * k) for k in range(32))
            lines.append(f"{files[clip % len(files)]}\t340\t256\t{draw.randint(0, 32)}\t{draw.randint(0, 116)}\t256\t224"
                         f"\t{frames}\n")
        (folder / f"g{gop}.tsv").write_text("".join(lines))
        print(folder / f"g{gop}.tsv")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arguments", nargs="+")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--json")
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--peer")
    given = parser.parse_args()
    if given.make:
        make(given.arguments[0], given.arguments[1:])
    elif given.peer:
        run_peer(given.peer, given.arguments[0], given.threads)
    else:
        compare(*given.arguments, given.threads, given.repeats, given.json)


if __name__ == "__main__":
    main()
