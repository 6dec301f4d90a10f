"""Writes the .pth files beside it with PyTorch 2.11 (any CPU build): python make.py."""

from collections import OrderedDict

import torch

LARGE = torch.arange(12, dtype=torch.float32)


def weights(prefix=""):
    tied = torch.tensor([1.5, -2.0, 0.25])
    return OrderedDict(
        (prefix + name, tensor)
        for name, tensor in {
            "conv.weight": torch.arange(24, dtype=torch.float32).reshape(2, 3, 2, 2) / 8,
            "conv.channels_last": torch.arange(24.0).reshape(2, 3, 2, 2).to(memory_format=torch.channels_last),
            "bn.num_batches_tracked": torch.tensor(7),
            "half": torch.tensor([0.5, -3.0], dtype=torch.float16),
            "brain": torch.tensor([0.5, -3.0], dtype=torch.bfloat16),
            "double": torch.tensor([1 / 3], dtype=torch.float64),
            "int8": torch.tensor([-1, 2], dtype=torch.int8),
            "uint8": torch.tensor([255, 0], dtype=torch.uint8),
            "int16": torch.tensor([-300], dtype=torch.int16),
            "int32": torch.tensor([-70000], dtype=torch.int32),
            "bool": torch.tensor([True, False]),
            "transposed": torch.arange(6.0).reshape(2, 3).t(),
            "slice": LARGE[4:7],
            "stepped": LARGE[1::4],
            "tied.a": tied,
            "tied.b": tied,
            "empty": torch.zeros(0, 3),
            "parameter": torch.nn.Parameter(torch.tensor([9.0])),
        }.items()
    )


def save(obj, name, **options):
    torch.save(obj, name, **options)


model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.BatchNorm1d(1))
with torch.no_grad():
    for i, tensor in enumerate(model.state_dict().values()):
        tensor.copy_(torch.arange(tensor.numel()).reshape(tensor.shape) + i)

training = {
    "epoch": 3,
    "cfg": "MODEL:\n  ARCH: slow\n",
    "best_acc1": torch.tensor(70.5),
    "model_state": weights(),
    "optimizer_state": torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9).state_dict(),
}
save(training, "model_state.pyth")
save(training, "model_state_legacy.pth", _use_new_zipfile_serialization=False)
save({"epoch": 1, "arch": "x", "state_dict": weights("module.")}, "protocol4.pth", pickle_protocol=4)
save(model.state_dict(), "bare.pth")
save({"model": {"state_dict": {"module.model.a.b": torch.ones(1), "module.model.c": torch.zeros(1)}}}, "nested.pth")
save(
    {
        "uint16": torch.tensor([65535], dtype=torch.int32).to(torch.uint16),
        "float8": torch.tensor([1.5]).to(torch.float8_e4m3fn),
        "ints": torch.tensor([2**40]),
        "note": "text",
        "nothing": None,
    },
    "untyped.pth",
)
noted = torch.ones(2)
noted.note = "an attribute"
save({"noted": noted}, "attribute.pth")
save(model, "module.pt")
save({"a": torch.ones(2, dtype=torch.complex64), "b": torch.ones(2).to_sparse(), "c": {"d": 1}}, "not_weights.pth")
