"""The files that the rows of `data` read, made when first asked for."""
import pathlib
import shutil

from judge import clips

SIZE, FRAMES = (340, 256), 300  # ten seconds at 30 frames a second
AVI_SIZE = (180, 144)
SMALL_SIZE, SMALL_FILES = (320, 240), 1000


class Material:
    """`videos`: real ones to make the clips from, in place of made scenes."""

    def __init__(self, folder, videos=()):
        self.folder, self.videos = pathlib.Path(folder), list(videos)

    def _video(self, number):
        return self.videos[number % len(self.videos)] if self.videos else None

    def _make(self, name, seed, size, frames, encoder):
        return clips.make(self.folder / name, seed, size, frames, encoder, self._video(seed))

    def h264(self, gop):
        """In class folders, as a data set."""
        encoder = [*clips.X264, "-g", gop]
        return [self._make(f"gop{gop}/{'ab'[k % 2]}/{k}.mp4", k + 1, SIZE, FRAMES, encoder) for k in range(8)]

    def avi(self):
        """Like Weizmann's: MPEG-4 without B-frames, a key frame in 12, 36 to 120 frames. (path, frames) each."""
        lengths = [36 + 12 * (k % 8) for k in range(24)]
        encoder = ["-c:v", "mpeg4", "-vtag", "FMP4", "-g", 12, "-q:v", 3]
        return [(self._make(f"avi/{k}.avi", k + 101, AVI_SIZE, n, encoder), n) for k, n in enumerate(lengths)]

    def long(self, gop):
        """A minute."""
        return clips.joined(self.folder / f"long.gop{gop}.mp4", self.h264(gop)[:6])

    def small(self):
        """Forty copies of 25 clips of two to three seconds: to a program, a thousand files that it never saw."""
        encoder = [*clips.X264, "-g", 250]
        made = [self._make(f"few/{k}.mp4", k + 201, SMALL_SIZE, 60 + k % 30, encoder) for k in range(25)]
        files = [self.folder / "small" / f"{k}.mp4" for k in range(SMALL_FILES)]
        for k, file in enumerate(files):
            if not file.exists():
                file.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(made[k % len(made)], file)
        return files
