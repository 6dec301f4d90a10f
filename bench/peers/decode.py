"""The clips of a plan through another reader; prints what `kinema data bench PLAN --json` prints. Times are taken
inside, from the first clip to the last, after one clip to warm up.

usage: decode.py READER PLAN [--threads N] [--check]
"""
import argparse
import collections
import concurrent.futures
import json
import threading
import time

from readers import read_plan, reader_of

OPEN_FILES = 32  # a thread: no row but the one of small files has more


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reader")
    parser.add_argument("plan")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    try:
        import torch
        torch.set_num_threads(1)
    except ImportError:
        pass
    jobs, reader, local = read_plan(given.plan), reader_of(given.reader), threading.local()

    def decode(job):
        if not hasattr(local, "open"):
            local.open = collections.OrderedDict()
        if job.path not in local.open:
            if len(local.open) == OPEN_FILES:
                local.open.popitem(last=False)
            local.open[job.path] = reader.open(job.path)
        local.open.move_to_end(job.path)
        clip = reader.read(local.open[job.path], job)
        return (len(clip), clip.reshape(-1, 3).mean(0).tolist()) if given.check else (len(clip), None)

    warm = reader.read(reader.open(jobs[-1].path), jobs[-1])
    assert warm.shape[1:] == (jobs[-1].crop, jobs[-1].crop, 3), warm.shape
    begin, cpu = time.perf_counter(), time.process_time()
    if given.threads > 1:
        with concurrent.futures.ThreadPoolExecutor(given.threads) as pool:
            clips = list(pool.map(decode, jobs))
    else:
        clips = [decode(job) for job in jobs]
    found = {"seconds": time.perf_counter() - begin, "clips": len(jobs), "cpu_seconds": time.process_time() - cpu,
             "frames": sum(frames for frames, _ in clips)}
    if given.check:
        found["means"] = [mean for _, mean in clips]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
