"""Writes rand_augment.json: the 15 operations of RandAugment by the Python Imaging Library on a made frame.

python make_rand_augment.py > rand_augment.json      (Pillow; the frame is that of tests/support/formula.h, key "frames")
"""
import json
import math

import PIL
from PIL import Image, ImageEnhance, ImageOps

WIDTH, HEIGHT, FILL = 14, 11, (115, 115, 115)


def frame():
    mask = (1 << 64) - 1
    h = 0xCBF29CE484222325
    for byte in b"frames":
        h = (h ^ byte) * 0x100000001B3 & mask
    out = bytearray()
    for i in range(WIDTH * HEIGHT * 3):
        z = h + i + 0x9E3779B97F4A7C15 & mask
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        z ^= z >> 31
        out.append(math.floor(256 * (z >> 40) / (1 << 24)))
    return Image.frombytes("RGB", (WIDTH, HEIGHT), bytes(out))


def affine(image, m):
    return image.transform(image.size, Image.AFFINE, m, resample=Image.BILINEAR, fillcolor=FILL)


def enhanced(kind):
    return lambda i, v, s: kind(i).enhance(max(0.1, 1 + s * 0.9 * v))


def solarize_add(image, amount):
    return image.point([min(255, v + amount) if v < 128 else v for v in range(256)] * 3)


OPERATIONS = [
    lambda i, v, s: ImageOps.autocontrast(i),
    lambda i, v, s: ImageOps.equalize(i),
    lambda i, v, s: ImageOps.invert(i),
    lambda i, v, s: i.rotate(s * 30 * v, resample=Image.BILINEAR, fillcolor=FILL),
    lambda i, v, s: ImageOps.posterize(i, 4 - int(4 * v)),
    lambda i, v, s: ImageOps.solarize(i, 256 - int(256 * v)),
    lambda i, v, s: solarize_add(i, int(110 * v)),
    enhanced(ImageEnhance.Color),
    enhanced(ImageEnhance.Contrast),
    enhanced(ImageEnhance.Brightness),
    enhanced(ImageEnhance.Sharpness),
    lambda i, v, s: affine(i, (1, s * 0.3 * v, 0, 0, 1, 0)),
    lambda i, v, s: affine(i, (1, 0, 0, s * 0.3 * v, 1, 0)),
    lambda i, v, s: affine(i, (1, 0, s * 0.45 * v * i.size[0], 0, 1, 0)),
    lambda i, v, s: affine(i, (1, 0, 0, 0, 1, s * 0.45 * v * i.size[1])),
]

cases = [
    {"operation": n, "magnitude": m, "sign": s, "output": list(op(frame(), m / 10, s).tobytes())}
    for n, op in enumerate(OPERATIONS)
    for m, s in ((4, 1), (9, -1))
]
print(json.dumps({"source": "Pillow " + PIL.__version__, "size": [HEIGHT, WIDTH], "cases": cases}))
