"""Other readers of video, each in its best configuration for random clips: one decoder a thread, no threads of its
own, files stay open, one scaler a file. read() gives uint8 [frames, height, width, 3] in RGB."""
import collections
import pathlib

Job = collections.namedtuple("Job", "path width height y x side crop frames")


def read_plan(file):
    """The plans of `kinema data bench`."""
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
