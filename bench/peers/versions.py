"""Which of the peers' modules work here: {module: version}. One that cannot be loaded is said on stderr."""
import importlib
import json
import sys

found = {}
for name in ("numpy", "torch", "torchcodec", "av", "cv2", "decord"):
    try:
        found[name] = importlib.import_module(name).__version__
        if name == "torchcodec":
            importlib.import_module("torchcodec.decoders")  # it finds FFmpeg's libraries only now
    except Exception as problem:  # a library that is missing shows as anything
        found.pop(name, None)
        print(f"{name}: left out: {str(problem).strip().splitlines()[0]}", file=sys.stderr)
print(json.dumps(found))
