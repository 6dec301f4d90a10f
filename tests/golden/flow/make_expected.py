"""Optical flow of OpenCV for three made clips, in hundredths of a pixel.

    python3 -m venv venv && venv/bin/pip install numpy opencv-contrib-python-headless
    venv/bin/python make_expected.py     # writes <clip>.<method>.txt beside itself

The clips are formulas (tests/unit/flow/made_clips.h has the same ones): the checksum in the first line of a file
tells whether both made the same bytes.
"""
import math
import pathlib

import cv2
import numpy as np

WIDTH, HEIGHT = 80, 64
MASK = (1 << 64) - 1


def mix(z):  # SplitMix64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def uniform(seed, count):
    return [(mix((seed + (i + 1) * 0x9E3779B97F4A7C15) & MASK) >> 11) * 2.0**-53 for i in range(count)]


def texture(seed, x, y):
    """Twelve waves of 6 to 30 pixels in drawn directions."""
    draws = uniform(seed, 36)
    value = np.full(np.shape(x), 127.5)
    for k in range(12):
        length, angle, phase = 6 + 24 * draws[3 * k], 2 * math.pi * draws[3 * k + 1], 2 * math.pi * draws[3 * k + 2]
        turn = 2 * math.pi / length
        value = value + 20 * np.cos(turn * math.cos(angle) * x + turn * math.sin(angle) * y + phase)
    return value


def to_bytes(value):
    return np.floor(np.clip(value, 0, 255) + 0.5).astype(np.uint8)


def grid():
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float64)
    return x, y


def shift():
    x, y = grid()
    return to_bytes(texture(1, x, y)), to_bytes(texture(1, x - 1.7, y + 0.8))


def rotation():
    x, y = grid()
    turn, cx, cy = math.radians(3), 39.5, 31.5
    back_x = cx + math.cos(turn) * (x - cx) + math.sin(turn) * (y - cy)
    back_y = cy - math.sin(turn) * (x - cx) + math.cos(turn) * (y - cy)
    return to_bytes(texture(2, x, y)), to_bytes(texture(2, back_x, back_y))


def layers():
    x, y = grid()

    def frame(t):
        inside = (x - 38 - 2.5 * t) ** 2 + (y - 30 - 1.5 * t) ** 2 <= 18.0**2
        return to_bytes(np.where(inside, texture(4, x - 2.5 * t, y - 1.5 * t), texture(3, x + t, y - 0.5 * t)))

    return frame(0), frame(1)


def tvl1(first, second):
    return cv2.optflow.createOptFlow_DualTVL1().calc(first, second, None)


def farneback(first, second):
    return cv2.calcOpticalFlowFarneback(first, second, None, 0.5, 3, 15, 3, 5, 1.2, 0)


def checksum(first, second):
    both = np.concatenate([first.ravel(), second.ravel()]).astype(np.int64)
    return int((both * (np.arange(both.size) % 8191 + 1)).sum())


def main():
    folder = pathlib.Path(__file__).parent
    for clip in (shift, rotation, layers):
        first, second = clip()
        for method in (tvl1, farneback):
            flow = np.round(method(first, second) * 100).astype(int)
            lines = [f"{WIDTH} {HEIGHT} {checksum(first, second)}"]
            for component in range(2):
                lines += [" ".join(map(str, row)) for row in flow[:, :, component]]
            (folder / f"{clip.__name__}.{method.__name__}.txt").write_text("\n".join(lines) + "\n")
    (folder / "VERSION").write_text(f"OpenCV {cv2.__version__}, numpy {np.__version__}\n")


if __name__ == "__main__":
    main()
