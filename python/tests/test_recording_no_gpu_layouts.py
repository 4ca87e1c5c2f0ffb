"""`habitat record --no-gpu`: which tensors convolutions and batch norms copy before they begin. Each case is as an H100 was seen to do it."""

import pytest
from recording_helpers import LOOP, operations, recorded

torch = pytest.importorskip("torch")

CONTIGUOUS, CHANNELS_LAST = "0", "2"

PAIRS = "aten::convolution", "aten::cudnn_batch_norm"

BODY = """
model = {model}.cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn({sizes}, device="cuda"){x}.requires_grad_()
def step():
    return (model(x){y} * 2).sum()
"""


def copied(folder, model, sizes, x="", y=""):
    """The sizes of what is copied in the forward and in the backward pass, and into which layout."""
    trace = recorded(folder, BODY.format(model=model, sizes=sizes, x=x, y=y) + LOOP)
    pair = [name for name in PAIRS if name in {event["name"] for event in operations(trace)}][0]
    seen, before = {pair: [], pair + "_backward": []}, []
    for event in operations(trace):
        name, args = event["name"], event["args"]
        if name == "aten::clone":
            before.append((tuple(args["Input Dims"][0]), args["Concrete Inputs"][1]))
        elif name in seen:
            seen[name] += before
        if name != "aten::clone":
            before = []
    return list(seen.values())


def test_a_line_that_was_transposed_goes_the_usual_way(tmp_path):
    forward, backward = copied(tmp_path, "nn.Conv1d(4, 6, 3)", "2, 9, 4", x=".transpose(1, 2).detach()", y=".transpose(1, 2).contiguous()")
    x, gradient = ((2, 4, 9), CONTIGUOUS), ((2, 6, 7), CONTIGUOUS)
    assert forward == [x] and sorted(backward) == sorted([gradient, x])


def test_a_line_as_it_is_made_is_not_copied(tmp_path):
    assert copied(tmp_path, "nn.Conv1d(4, 6, 3)", "2, 4, 9") == [[], []]


def test_weights_follow_images_with_channels_last(tmp_path):
    """A network that permutes its images alone has its weights copied in each pass; one channel a group is both layouts at once."""
    layout = {"x": ".permute(0, 3, 1, 2).detach()", "y": ".permute(0, 2, 3, 1).contiguous()"}
    forward, backward = copied(tmp_path, "nn.Conv2d(4, 6, 3)", "2, 9, 9, 4", **layout)
    assert forward == backward == [((6, 4, 3, 3), CHANNELS_LAST)]
    assert copied(tmp_path, "nn.Conv2d(4, 4, 3, groups=4)", "2, 9, 9, 4", **layout) == [[], []]


def test_a_gradient_follows_the_images(tmp_path):
    """As of patches, whose words are rows."""
    forward, backward = copied(tmp_path, "nn.Conv2d(3, 6, 2, 2)", "2, 3, 8, 8", y=".flatten(2).transpose(1, 2).contiguous()")
    assert forward == [] and backward == [((2, 6, 4, 4), CONTIGUOUS)]


def test_a_part_of_a_larger_tensor_is_copied(tmp_path):
    """As a dense network's gradient is."""
    forward, backward = copied(tmp_path, "nn.Conv2d(4, 6, 3)", "2, 8, 9, 9", x="[:, 2:6].detach()")
    assert forward == [((2, 4, 9, 9), CONTIGUOUS)] and backward == [((2, 4, 9, 9), CONTIGUOUS)]


def test_a_batch_norm_of_lines_that_were_transposed_copies_them(tmp_path):
    """As PatchTST's; what cuDNN is given back in that order, too."""
    turned = {"x": ".transpose(1, 2).detach()", "y": ".transpose(1, 2).contiguous()"}
    forward, backward = copied(tmp_path, "nn.BatchNorm1d(4)", "2, 9, 4", **turned)
    assert forward == [((2, 4, 9), CONTIGUOUS)] and backward == [((2, 4, 9), CONTIGUOUS)]
    assert copied(tmp_path, "nn.BatchNorm1d(4)", "2, 4, 9") == [[], []]
    assert copied(tmp_path, "nn.BatchNorm2d(4)", "2, 9, 9, 4", x=".permute(0, 3, 1, 2).detach()", y=".permute(0, 2, 3, 1).contiguous()") == [[], []]
