"""How many clips of 32x224x224 pixels two threads copy from memory in a second: no loader can deliver more."""
import concurrent.futures
import json
import time

import numpy

BYTES, SOURCES, TARGETS, COPIES = 32 * 224 * 224 * 3, 64, 8, 400
sources = [numpy.full(BYTES, k, numpy.uint8) for k in range(SOURCES)]  # more than any cache holds
targets = [numpy.zeros(BYTES, numpy.uint8) for _ in range(TARGETS)]


def copies(thread):
    for k in range(thread, COPIES, 2):
        numpy.copyto(targets[k % TARGETS], sources[k % SOURCES])


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    list(pool.map(copies, range(2)))  # every page is there
    begin, cpu = time.perf_counter(), time.process_time()
    list(pool.map(copies, range(2)))
    print(json.dumps({"seconds": time.perf_counter() - begin, "cpu_seconds": time.process_time() - cpu,
                      "clips": COPIES, "bytes": COPIES * BYTES}))
