"""The operators on CUDA tensors: native kernels, launched on the current stream and device, and nothing waited for."""

from __future__ import annotations

import random
import threading

import pytest
import torch

from kernels import ops

pytestmark = pytest.mark.usefixtures("warm")
LONG = 200_000_000  # clock cycles that a stream sleeps: a tenth of a second


@pytest.fixture(scope="module")
def warm():
    """All kernels built and loaded, so that no test's first call is slow."""
    x = draw(4, 4)
    ops.sum(ops.polar(ops.matmul(ops.transpose(x), ops.vector_add(x, x))), (0, 2))
    ops.sum(x), ops.sum(x, 1), ops.histogram(x.to(torch.uint8))
    torch.cuda.synchronize()


def draw(*shape: int, grad: bool = False, device: str = "cuda") -> torch.Tensor:
    generator = torch.Generator(device).manual_seed(hash(shape) % 2**31)
    return (torch.rand(shape, generator=generator, device=device) + 0.5).requires_grad_(grad)


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    assert found.dtype == torch.float32 and found.is_contiguous() and found.is_cuda
    torch.testing.assert_close(found.double(), expected.double(), rtol=1e-5, atol=1e-6)


def polar64(phi):
    return torch.stack([phi.double().cos(), phi.double().sin()], dim=-1)


# ---- values ----


@pytest.mark.parametrize("shape", [(), (0,), (1,), (33,), (1009,), (100_003,), (3, 0, 2), (7, 1001)])
@pytest.mark.parametrize("offset", [0, 1, 2])
def test_elementwise_at_any_alignment(shape, offset):
    flat = draw(offset + torch.Size(shape).numel())
    x = flat[offset:].view(shape)
    close(ops.vector_add(x, 2 * x), 3 * x.double())
    torch.testing.assert_close(ops.polar(x).double(), polar64(x), rtol=0, atol=2.0**-20)


def test_sum_over_any_dimensions_of_any_shape():
    rng = random.Random(5)
    for _ in range(200):
        shape = [rng.choice((1, 2, 3, 5, 17, 33, 128)) for _ in range(rng.randint(0, 4))]
        order = rng.sample(range(len(shape)), len(shape))
        x = draw(*shape).permute(order)
        dim = rng.sample(range(len(shape)), rng.randint(0, len(shape)))
        keepdim = rng.random() < 0.5
        close(ops.sum(x, dim, keepdim), x.double().sum(dim, keepdim))


@pytest.mark.parametrize(
    ("shape", "dim"),
    [
        ((1 << 20, 17), (0,)), ((17, 1 << 20), (1,)), ((17, 1 << 20), (0,)), ((1 << 20, 17), (1,)),
        ((70_000, 3, 5), (1,)), ((5, 70_000, 3), (1,)), ((1_000_003,), None), ((3, 129, 257, 65), (1, 3)),
    ],
)  # fmt: skip
def test_sum_of_long_and_narrow_shapes(shape, dim):
    x = draw(*shape)
    close(ops.sum(x, dim), x.double().sum(dim) if dim else x.double().sum())
    if x.ndim == 2:
        close(ops.sum(x.t(), [1 - d for d in dim]), x.double().sum(dim))


@pytest.mark.parametrize("shape", [(1, 1), (31, 33), (1000, 37), (129, 4097), (3, 2, 65, 31)])
def test_transpose(shape):
    x = draw(*shape)
    close(ops.transpose(x), x.mT)
    close(ops.transpose(x[..., 1:]), x[..., 1:].mT)


@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (33, 65, 17), (257, 129, 255), (1000, 1100, 1200), (1, 999, 2)])
def test_matmul(m, n, k):
    a, b = draw(m, k), draw(k, n)
    close(ops.matmul(a, b), a.double() @ b.double())
    close(ops.matmul(b.t(), a.t()), b.t().double() @ a.t().double())


def test_matmul_of_batches():
    a, b = draw(2, 1, 33, 17), draw(3, 17, 5)
    close(ops.matmul(a, b), a.double() @ b.double())
    close(ops.matmul(a, b[0]), a.double() @ b[0].double())


@pytest.mark.parametrize("count", [0, 1, 255, 1009, 1_000_003])
def test_histogram(count):
    x = torch.randint(0, 256, (count + 3,), dtype=torch.uint8, device="cuda")[3:]
    assert torch.equal(ops.histogram(x), torch.bincount(x, minlength=256))
    assert torch.equal(ops.histogram(x.fill_(9)), torch.bincount(x, minlength=256))


def test_the_largest_sizes():
    most = 2**31 - 1
    if torch.cuda.mem_get_info()[0] < 5 * most:
        pytest.skip("needs 11 GB of the GPU's memory")
    x = torch.full((most,), 7, dtype=torch.uint8, device="cuda")
    assert ops.histogram(x)[7] == most
    del x
    ones = torch.ones(most, device="cuda")
    assert ops.sum(ones).item() == pytest.approx(most, rel=1e-6)
    with pytest.raises(ValueError, match="does not fit into the kernel's `int n`"):
        ops.histogram(torch.empty(most + 1, dtype=torch.uint8, device="cuda"))


# ---- streams, devices, graphs ----


def work(x, w):
    """All of them, to one matrix."""
    mixed = ops.matmul(ops.transpose(x), ops.vector_add(w, w))
    counts = ops.histogram(torch.arange(5, device=x.device).to(torch.uint8)).sum()
    return mixed + ops.sum(ops.polar(x), (0, 2, 1)) + ops.sum(x, 1).sum() + ops.sum(x, 0).sum() + counts


def test_launches_on_the_current_stream_and_waits_for_nothing():
    x, w = draw(64, 32), draw(64, 48)
    expected = work(x, w)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    late = torch.full_like(x, float("nan"))
    with torch.cuda.stream(stream):
        torch.cuda._sleep(LONG)
        late.copy_(x)
        found = work(late, w)
        assert not stream.query()  # still asleep: all that was only put into the queue
    stream.synchronize()
    torch.testing.assert_close(found, expected)


def test_uses_the_tensors_device_and_leaves_the_current_one():
    if torch.cuda.device_count() < 2:
        pytest.skip("needs a second GPU")
    x, w = draw(64, 32), draw(64, 48)
    found = work(x.to("cuda:1"), w.to("cuda:1"))
    assert found.device.index == 1 and torch.cuda.current_device() == 0
    torch.testing.assert_close(found.cpu(), work(x, w).cpu())


def test_goes_into_a_cuda_graph():
    x, w = draw(64, 32), draw(64, 48)
    work(x, w)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = work(x, w)
    x.mul_(0.5)
    graph.replay()
    torch.testing.assert_close(found, work(x, w))


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_compiles_without_a_graph_break(mode):
    torch._dynamo.reset()
    x, w = draw(64, 32, grad=True), draw(64, 48, grad=True)
    compiled = torch.compile(work, fullgraph=True, mode=mode)
    for _ in range(4):  # reduce-overhead warms up, records, then replays
        found = compiled(x, w)
        grads = torch.autograd.grad(found.sum(), (x, w))
    torch.testing.assert_close(found, work(x, w))
    for a, b in zip(grads, torch.autograd.grad(work(x, w).sum(), (x, w)), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)


def test_threads_with_streams_of_their_own():
    inputs = [(draw(64, 32) * i, draw(64, 48)) for i in range(1, 5)]
    expected = [work(*pair) for pair in inputs]
    torch.cuda.synchronize()
    found: dict[int, torch.Tensor] = {}

    def run(i):
        with torch.cuda.stream(torch.cuda.Stream()) as _:
            for _ in range(20):
                result = work(*inputs[i])
            torch.cuda.current_stream().synchronize()
            found[i] = result

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, wanted in enumerate(expected):
        torch.testing.assert_close(found[i], wanted)


# ---- derivatives, registration, refusals ----


def test_derivatives_are_those_of_the_cpu():
    x, w = draw(64, 32, grad=True), draw(64, 48, grad=True)
    there = [t.detach().cpu().requires_grad_() for t in (x, w)]
    found = torch.autograd.grad(work(x, w).square().sum(), (x, w))
    for a, b in zip(found, torch.autograd.grad(work(*there).square().sum(), there), strict=True):
        torch.testing.assert_close(a.cpu(), b, rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize(
    ("operator", "arguments"),
    [
        (ops.vector_add, lambda: (draw(5, 7, grad=True), draw(5, 7, grad=True))),
        (ops.polar, lambda: (draw(5, 7, grad=True),)),
        (ops.sum, lambda: (draw(3, 4, 5, grad=True), (0, 2), True)),
        (ops.transpose, lambda: (draw(2, 3, 5, grad=True),)),
        (ops.matmul, lambda: (draw(2, 3, 4, grad=True), draw(4, 5, grad=True))),
        (ops.histogram, lambda: (draw(5, 7).to(torch.uint8),)),
    ],
)
def test_torch_checks_the_registration(operator, arguments):
    assert set(torch.library.opcheck(operator, arguments()).values()) == {"SUCCESS"}


def test_refusals():
    with pytest.raises(ValueError, match=r"x is on cuda:0 and y on cpu: write y.to\(x.device\)"):
        ops.vector_add(draw(3), draw(3).cpu())
    with pytest.raises(TypeError, match=r"takes torch\.float32, and a is torch\.float16"):
        ops.matmul(draw(3, 3).half(), draw(3, 3))
