"""A PyTorch DataLoader over a folder of videos, batches of bytes: random 32x2 clips, short side drawn, random
crop of 224, half of them mirrored. Two workers that stay; the second epoch is timed. Prints what
`kinema data bench EXPERIMENT --json` prints.

usage: load.py torchcodec|pyav|memory FOLDER [--draws N] [--short-side LOW HIGH] [--check]
"""
import argparse
import json
import os
import pathlib
import random
import time

import torch

FRAMES, STRIDE, CROP, BATCH, WORKERS = 32, 2, 224, 8, 2


def window(width, height, low, high):
    """(scale, y, x, mirrored) of a random crop of the scaled picture."""
    side = random.randint(low, high)
    scale = side / min(width, height)
    wide, high_ = width * side // min(width, height), height * side // min(width, height)
    return scale, random.randint(0, high_ - CROP), random.randint(0, wide - CROP), random.random() < .5


def resized(frames, scale, y, x):
    """uint8 [frames, 3, height, width], channels last inside: only what the crop needs is looked at."""
    if scale == 1:
        return frames[:, :, y:y + CROP, x:x + CROP]
    top, left, side = round(y / scale), round(x / scale), round(CROP / scale)
    part = frames[:, :, top:top + side, left:left + side]
    return torch.nn.functional.interpolate(part, (CROP, CROP), mode="bilinear")


class TorchCodec:
    def open(self, path):
        from torchcodec.decoders import VideoDecoder
        decoder = VideoDecoder(path, num_ffmpeg_threads=1, seek_mode="exact")
        return decoder, decoder.metadata.num_frames, decoder.metadata.width, decoder.metadata.height

    def read(self, opened, start, place):
        scale, y, x, mirrored = place
        frames = opened[0].get_frames_at(list(range(start, start + FRAMES * STRIDE - STRIDE + 1, STRIDE))).data
        clip = resized(frames, scale, y, x)
        return (clip.flip(3) if mirrored else clip).permute(0, 2, 3, 1)


class PyAV:
    def open(self, path):
        from readers import PyAV as Reader
        container, stream, rate, scaler = Reader().open(path)
        context = stream.codec_context
        return (container, stream, rate, scaler), stream.frames, context.width, context.height

    def read(self, opened, start, place):
        from readers import Job, PyAV as Reader
        scale, y, x, mirrored = place
        width, height = opened[2], opened[3]
        job = Job("", width, height, y, x, round(min(width, height) * scale), CROP,
                  list(range(start, start + FRAMES * STRIDE - STRIDE + 1, STRIDE)))
        clip = torch.from_numpy(Reader().read(opened[0], job))
        return clip.flip(2) if mirrored else clip


class Memory:
    """Decoded beforehand; the workers share the pages."""

    def open(self, path):
        import av
        import numpy
        with av.open(path) as container:
            frames = numpy.stack([frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)])
        video = torch.from_numpy(frames)
        return video, len(video), video.shape[2], video.shape[1]

    def read(self, opened, start, place):
        _, y, x, mirrored = place
        clip = opened[0][start:start + FRAMES * STRIDE - STRIDE + 1:STRIDE, y:y + CROP, x:x + CROP]
        return clip.flip(2) if mirrored else clip


class Clips(torch.utils.data.Dataset):
    def __init__(self, source, files, given):
        self.source, self.files, self.given, self.open = source, files, given, {}
        if isinstance(source, Memory):
            self.open = {path: source.open(path) for path in files}

    def __len__(self):
        return len(self.files) * self.given.draws

    def __getitem__(self, index):
        path = self.files[index % len(self.files)]
        if path not in self.open:
            self.open[path] = self.source.open(path)
        opened = self.open[path]
        start = random.randint(0, max(0, opened[1] - (FRAMES - 1) * STRIDE - 1))
        return self.source.read(opened, start, window(opened[2], opened[3], *self.given.short_side))


def begin_worker(number):
    torch.set_num_threads(1)
    random.seed(number)


def cpu_seconds(processes):
    ticks = 0
    for process in processes:
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", choices=["torchcodec", "pyav", "memory"])
    parser.add_argument("folder")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--short-side", type=int, nargs=2, default=[256, 320])
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    source = {"torchcodec": TorchCodec, "pyav": PyAV, "memory": Memory}[given.source]()
    files = sorted(str(path) for path in pathlib.Path(given.folder).glob("*/*"))
    loader = torch.utils.data.DataLoader(Clips(source, files, given), BATCH, shuffle=True, num_workers=WORKERS,
                                         persistent_workers=True, worker_init_fn=begin_worker)
    for _ in loader:
        pass
    clips, size, means = 0, 0, torch.zeros(3, dtype=torch.float64)
    begin, cpu = time.perf_counter(), cpu_seconds(loader._iterator._workers)
    for batch in loader:
        clips += len(batch)
        size += batch.numel()
        if given.check:
            means += batch.double().mean((0, 1, 2, 3)) * len(batch)
    print(json.dumps({"seconds": time.perf_counter() - begin, "clips": clips, "bytes": size,
                      "cpu_seconds": cpu_seconds(loader._iterator._workers) - cpu,
                      **({"means": [(means / clips).tolist()]} if given.check else {})}))


if __name__ == "__main__":
    main()
