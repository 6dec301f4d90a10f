"""The Weizmann example in plain PyTorch: the same network, clips, augmentation and schedule as
examples/020_weizmann/weizmann.toml. Needs torch, av and numpy.

usage: weizmann_torch.py FOLDER [--seed N] [--epochs N] [--threads N] [--channels-last] [--steps N]
Prints seconds and held-out top-1. Videos are decoded once, before the clock starts.
"""
import argparse
import pathlib
import re
import time

import av
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

HELD_OUT = re.compile(r"(lyova|moshe|shahar)_")
FRAMES, STRIDE, RESIZE, CROP, VIEWS = 16, 2, (72, 90), 64, 10


class Block(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv3d(i, o, 3, stride, 1, bias=False), nn.BatchNorm3d(o)
        self.conv2, self.bn2 = nn.Conv3d(o, o, 3, 1, 1, bias=False), nn.BatchNorm3d(o)
        self.down = None
        if stride != 1 or i != o:
            self.down = nn.Sequential(nn.Conv3d(i, o, 1, stride, bias=False), nn.BatchNorm3d(o))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        return F.relu_(self.bn2(self.conv2(y)) + (x if self.down is None else self.down(x)))


class Net(nn.Module):
    def __init__(self, classes, width=24):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv3d(3, width, (3, 7, 7), (1, 2, 2), (1, 3, 3), bias=False),
                                  nn.BatchNorm3d(width), nn.ReLU(inplace=True))
        sizes = [width, width, 2 * width, 4 * width, 8 * width]
        self.stages = nn.Sequential(*[Block(sizes[k], sizes[k + 1], 1 if k == 0 else 2) for k in range(4)])
        self.fc = nn.Linear(sizes[-1], classes)
        for m in self.modules():
            if isinstance(m, nn.Conv3d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
        nn.init.normal_(self.fc.weight, 0, 0.01)
        nn.init.zeros_(self.fc.bias)

    def forward(self, x):
        return self.fc(self.stages(self.stem(x)).mean((2, 3, 4)))


def decode(path):
    with av.open(str(path)) as container:
        frames = np.stack([f.to_ndarray(format="rgb24") for f in container.decode(video=0)])
    frames = torch.from_numpy(frames).permute(0, 3, 1, 2).float()
    return F.interpolate(frames, RESIZE, mode="bilinear", antialias=False).round().byte()


def load(root):
    classes = sorted(p.name for p in root.iterdir() if p.is_dir())
    train, test = [], []
    for label, name in enumerate(classes):
        for path in sorted((root / name).iterdir()):
            (test if HELD_OUT.search(path.name) else train).append((decode(path), label))
    return classes, train, test


def frames_of(video, start):
    index = (start + STRIDE * torch.arange(FRAMES)).clamp(max=len(video) - 1)
    return video[index]


def train_clip(video, rng):
    start = rng.integers(0, max(len(video) - (FRAMES - 1) * STRIDE - 1, 0) + 1)
    y, x = rng.integers(0, RESIZE[0] - CROP + 1), rng.integers(0, RESIZE[1] - CROP + 1)
    clip = frames_of(video, start)[:, :, y:y + CROP, x:x + CROP]
    if rng.random() < 0.5:
        clip = clip.flip(3)
    return (clip.float() * rng.uniform(0.8, 1.2)).round().clamp(0, 255)


def normalise(clips, channels_last):
    x = ((clips.float() / 255 - 0.45) / 0.225).permute(0, 2, 1, 3, 4)
    return x.contiguous(memory_format=torch.channels_last_3d if channels_last else torch.contiguous_format)


def evaluate(net, test, channels_last):
    net.eval()
    hits = 0
    with torch.no_grad():
        for video, label in test:
            room = max(len(video) - (FRAMES - 1) * STRIDE - 1, 0)
            y, x = (RESIZE[0] - CROP) // 2, (RESIZE[1] - CROP) // 2
            views = [frames_of(video, round(i * room / (VIEWS - 1)))[:, :, y:y + CROP, x:x + CROP] for i in range(VIEWS)]
            scores = net(normalise(torch.stack(views), channels_last)).softmax(1).mean(0)
            hits += int(scores.argmax()) == label
    net.train()
    return hits


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=50)
    parser.add_argument("--steps", type=int, default=0, help="stop after so many steps")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.003)
    parser.add_argument("--channels-last", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    rng = np.random.default_rng(arguments.seed)
    classes, train, test = load(arguments.folder)
    net = Net(len(classes))
    per_epoch = len(train) * 3 // 8
    total = arguments.steps or per_epoch * arguments.epochs
    optimizer = torch.optim.AdamW(net.parameters(), lr=arguments.lr, weight_decay=0.01, fused=True)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, arguments.lr, total_steps=total)
    begin, step = time.monotonic(), 0
    while step < total:
        order = rng.permutation(np.repeat(np.arange(len(train)), 3))
        for b in range(per_epoch):
            chosen = order[b * 8:b * 8 + 8]
            clips = torch.stack([train_clip(train[i][0], rng) for i in chosen])
            labels = torch.tensor([train[i][1] for i in chosen])
            loss = F.cross_entropy(net(normalise(clips, arguments.channels_last)), labels, label_smoothing=0.1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            step += 1
            if step == total:
                break
    trained = time.monotonic() - begin
    hits = evaluate(net, test, arguments.channels_last)
    print(f"steps {step} train_s {trained:.1f} total_s {time.monotonic() - begin:.1f} top1 {hits}/{len(test)} "
          f"loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
