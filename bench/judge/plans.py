"""Plans of `kinema data bench`: a line a clip."""
import random


def line(path, size, window, side, crop, frames):
    y, x = window
    return "\t".join(map(str, [path, *size, y, x, side, crop, ",".join(map(str, frames))])) + "\n"


def scaled(size, side):
    width, height = size
    return (side, height * side // width) if width <= height else (width * side // height, side)


def random_clips(files, size, count, frames, stride, side, crop):
    """`files`: (path, frames of it). Anywhere in time and space, as in training."""
    draw, (width, height) = random.Random(1), scaled(size, side)
    for k in range(count):
        path, length = files[k % len(files)]
        start = draw.randint(0, max(0, length - (frames - 1) * stride - 1))
        window = draw.randint(0, height - crop), draw.randint(0, width - crop)
        numbers = [min(start + stride * i, length - 1) for i in range(frames)]
        yield line(path, size, window, side, crop, numbers)


def centre(size, side, crop):
    width, height = scaled(size, side)
    return (height - crop) // 2, (width - crop) // 2


def uniform_frames(files, size, count, frames, side, crop):
    """From the first part of a file to its last, a little later in each turn through the files."""
    for k in range(count):
        path, length = files[k % len(files)]
        part = length // frames
        first = k // len(files) * 7 % part
        yield line(path, size, centre(size, side, crop), side, crop, [first + part * i for i in range(frames)])


def first_frames(files, size, frames, side, crop):
    for path in files:
        yield line(path, size, centre(size, side, crop), side, crop, range(frames))


def whole_file(path, size, length, side, crop, piece):
    """In pieces, one after another: nobody holds a whole film."""
    for first in range(0, length, piece):
        yield line(path, size, centre(size, side, crop), side, crop, range(first, min(first + piece, length)))
