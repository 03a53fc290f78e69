"""The operators on CPU tensors: values and derivatives against torch in float64, tracing, and what they refuse."""

from __future__ import annotations

import doctest
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch

from kernels import ops
from tests.shared import long_tail

ROOT = Path(__file__).parents[2]


def draw(*shape: int, grad: bool = False) -> torch.Tensor:
    """Numbers from 0.5 to 1.5, so that a sum hides no error; as many seeds as shapes."""
    generator = torch.Generator().manual_seed(hash(shape) % 2**31)
    return (torch.rand(shape, generator=generator) + 0.5).requires_grad_(grad)


def draw_bytes(*shape: int) -> torch.Tensor:
    return torch.randint(0, 256, shape, dtype=torch.uint8, generator=torch.Generator().manual_seed(0))


def polar64(phi):
    return torch.stack([phi.cos(), phi.sin()], dim=-1)


def close(found: torch.Tensor, expected: torch.Tensor) -> None:
    """Within a few units of float32 roundoff of what float64 gives; contiguous, float32, of the same shape."""
    assert found.dtype == torch.float32 and found.is_contiguous()
    torch.testing.assert_close(found.double(), expected.double(), rtol=3e-6, atol=1e-6)


# what each operator is, in torch, and arguments that show it: (operator, torch's, arguments)
EXAMPLES = {
    "vector_add": (ops.vector_add, torch.add, lambda: (draw(5, 7, grad=True), draw(5, 7, grad=True))),
    "polar": (ops.polar, polar64, lambda: (draw(3, 11, grad=True),)),
    "sum": (ops.sum, torch.sum, lambda: (draw(3, 4, 5, grad=True),)),
    "sum over (0, 2)": (ops.sum, torch.sum, lambda: (draw(3, 4, 5, grad=True), (0, 2), True)),
    "sum of a permuted tensor": (ops.sum, torch.sum, lambda: (draw(5, 3, 4, grad=True).permute(2, 0, 1), 1)),
    "transpose": (ops.transpose, lambda x: x.mT, lambda: (draw(5, 7, grad=True),)),
    "transpose of a batch": (ops.transpose, lambda x: x.mT, lambda: (draw(2, 3, 5, grad=True),)),
    "matmul": (ops.matmul, torch.matmul, lambda: (draw(5, 7, grad=True), draw(7, 3, grad=True))),
    "matmul by one matrix": (ops.matmul, torch.matmul, lambda: (draw(2, 3, 4, grad=True), draw(4, 5, grad=True))),
    "matmul of batches": (ops.matmul, torch.matmul, lambda: (draw(2, 1, 3, 4, grad=True), draw(3, 4, 2, grad=True))),
}
EVERY = pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES.keys())


def in_float64(arguments):
    """The same, as leaves of another graph."""
    return [a.detach().double().requires_grad_(a.requires_grad) if torch.is_tensor(a) else a for a in arguments]


def weighted(result: torch.Tensor) -> torch.Tensor:
    """A number that depends on each element in its own way, and on its square, for second derivatives."""
    weights = torch.arange(1, result.numel() + 1, dtype=result.dtype).view(result.shape) / result.numel()
    return (weights * result * result).sum()


# ---- values ----


@pytest.mark.parametrize(
    ("example",), long_tail([(each,) for each in EXAMPLES.values()], every=12, slow=3), ids=EXAMPLES.keys()
)
def test_values_and_derivatives_are_those_of_torch_in_float64(example):
    operator, theirs, make = example
    arguments = make()
    others = in_float64(arguments)
    result, expected = operator(*arguments), theirs(*others)
    close(result, expected)
    tensors = [(a, b) for a, b in zip(arguments, others, strict=True) if torch.is_tensor(a)]
    found = torch.autograd.grad(weighted(result), [a for a, _ in tensors])
    wanted = torch.autograd.grad(weighted(expected), [b for _, b in tensors])
    for a, b in zip(found, wanted, strict=True):
        torch.testing.assert_close(a.double(), b, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", long_tail(["polar", "sum over (0, 2)", "matmul", "transpose"], every=8))
def test_second_derivatives(name):
    operator, theirs, make = EXAMPLES[name]

    def second(function, arguments):
        first = torch.autograd.grad(weighted(function(*arguments)), arguments[0], create_graph=True)[0]
        return torch.autograd.grad(weighted(first), arguments[0])[0]

    arguments = make()
    found, wanted = second(operator, arguments), second(theirs, in_float64(arguments))
    torch.testing.assert_close(found.double(), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (31,), (33,), (1009,), (3, 0, 2), (2, 3, 257)])
def test_elementwise_operators_take_any_shape(shape):
    x = draw(*shape)
    close(ops.vector_add(x, 2 * x), 3 * x.double())
    close(ops.polar(x), polar64(x.double()))


@pytest.mark.slow
def test_inputs_need_not_be_contiguous():
    x, y = draw(6, 8), draw(8, 6)
    close(ops.vector_add(x.t(), y), x.t().double() + y)
    close(ops.polar(x[:, 1::3]), polar64(x[:, 1::3].double()))
    close(ops.transpose(x[::2, 1:]), x[::2, 1:].mT)
    close(ops.matmul(y.t(), x.t()), y.t().double() @ x.t().double())
    close(ops.sum(x[1].expand(5, 8), 0), 5 * x[1].double())


@pytest.mark.slow
def test_inputs_stay_as_they_were():
    x, y = draw(6, 6), draw(6, 6)
    kept = x.clone(), y.clone()
    for result in (ops.vector_add(x, y), ops.sum(x, ()), ops.sum(x[:1, :1], 0), ops.transpose(x), ops.matmul(x, y)):
        result.zero_()
    assert torch.equal(x, kept[0]) and torch.equal(y, kept[1])


def test_sum_over_any_dimensions_of_any_shape():
    rng = random.Random(5)
    for _ in range(120):
        shape = [
            rng.choice((1, 1, 2, 3, 5, 17, 33, 0) if rng.random() < 0.1 else (1, 2, 3, 5, 9))
            for _ in range(rng.randint(0, 6))
        ]
        order = rng.sample(range(len(shape)), len(shape))
        x = draw(*shape).permute(order) if rng.random() < 0.5 else draw(*shape)
        chosen = [d - len(shape) * rng.randint(0, 1) for d in rng.sample(range(len(shape)), rng.randint(0, len(shape)))]
        dim = rng.choice((None, chosen, chosen[0] if chosen else None))
        keepdim = rng.random() < 0.5
        found = ops.sum(x, dim, keepdim)
        expected = x.double().sum(dim, keepdim) if dim is not None else x.double().sum(tuple(range(x.ndim)), keepdim)
        assert found.shape == expected.shape, (x.shape, x.stride(), dim, keepdim)
        close(found, expected)


def test_matmul_broadcasts_as_torch_does():
    rng = random.Random(7)
    for _ in range(25):
        m, n, k = (rng.choice((1, 2, 5, 17, 33, 0) if rng.random() < 0.2 else (1, 3, 7)) for _ in range(3))
        batch = [rng.randint(1, 3) for _ in range(rng.randint(0, 3))]
        a_batch, b_batch = ([rng.choice((size, 1)) for size in batch[rng.randint(0, len(batch)) :]] for _ in range(2))
        a, b = draw(*a_batch, m, k), draw(*b_batch, k, n)
        close(ops.matmul(a, b), a.double() @ b.double())


@pytest.mark.parametrize(("shape",), long_tail([((3, 5, 67),), ((0,),), ((1,),), ((255,),), ((1009,),)], every=5))
def test_histogram_counts_as_bincount(shape):
    x = draw_bytes(*shape)
    assert torch.equal(ops.histogram(x), torch.bincount(x.flatten(), minlength=256))
    assert torch.equal(ops.histogram(x.fill_(200)), torch.bincount(x.flatten(), minlength=256))


# ---- tracing ----


@pytest.mark.slow
@pytest.mark.parametrize(
    ("example",), long_tail([(each,) for each in EXAMPLES.values()], every=6, slow=5), ids=EXAMPLES.keys()
)
def test_torch_checks_the_registration(example):
    operator, _, make = example
    assert set(torch.library.opcheck(operator, make()).values()) == {"SUCCESS"}


@pytest.mark.slow
def test_torch_checks_histogram():
    assert set(torch.library.opcheck(ops.histogram, (draw_bytes(100),)).values()) == {"SUCCESS"}
    assert set(torch.library.opcheck(ops.sum, (torch.zeros(2, 0), 1)).values()) == {"SUCCESS"}


def layer(x, w, phi):
    """Most of them in one graph."""
    mixed = ops.matmul(ops.transpose(x), ops.vector_add(w, w))
    return ops.sum(mixed, dim=0) + ops.sum(ops.polar(phi), dim=(0, 2, 3)).sin() * ops.sum(x)


@pytest.mark.slow
@pytest.mark.parametrize("dynamic", [pytest.param(False, marks=pytest.mark.whole), True])
def test_compiles_without_a_graph_break(dynamic):
    torch._dynamo.reset()
    backend = "aot_eager" if dynamic else "inductor"  # which takes half a minute
    compiled = torch.compile(layer, fullgraph=True, dynamic=dynamic, backend=backend)
    for size in (4, 9) if dynamic else (4,):
        arguments = [draw(size, 5, grad=True), draw(size, 3, grad=True), draw(2, 3, 7, grad=True)]
        plain = layer(*arguments)
        torch.testing.assert_close(compiled(*arguments), plain)
        found = torch.autograd.grad(compiled(*arguments).sum(), arguments)
        for a, b in zip(found, torch.autograd.grad(plain.sum(), arguments), strict=True):
            torch.testing.assert_close(a, b)


# ---- what is refused, in one sentence ----


def f16(*shape):
    return draw(*shape).half()


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: ops.vector_add(draw(3).double(), draw(3)), TypeError, "x is torch.float64: write x.to(torch.float32)"),
        (lambda: ops.vector_add(draw(3), f16(3)), TypeError, "vector_add takes torch.float32, and y is torch.float16"),
        (lambda: ops.vector_add(draw(3), draw(4)), ValueError, "equal shapes, not 3 and 4"),
        (lambda: ops.vector_add(draw(3), draw(3).to("meta")), ValueError, "x is on cpu and y on meta"),
        (lambda: ops.polar(f16(3)), TypeError, "polar takes torch.float32"),
        (lambda: ops.sum(torch.arange(3)), TypeError, "sum takes torch.float32, and x is torch.int64"),
        (lambda: ops.sum(draw(3, 4), 2), IndexError, "no dimension 2 here: x has 2, so write -2 to 1"),
        (lambda: ops.sum(draw(3, 4), (1, -1)), ValueError, "each dimension once, and (1, -1) has one twice"),
        (lambda: ops.transpose(draw(3)), ValueError, "a matrix or a batch of them, not 3"),
        (lambda: ops.matmul(draw(3), draw(3, 4)), ValueError, "unsqueeze the vector"),
        (lambda: ops.matmul(draw(3, 4), draw(3, 4)), ValueError, "cannot multiply 3x4 by 3x4"),
        (lambda: ops.histogram(draw(3)), TypeError, "histogram takes torch.uint8, and x is torch.float32"),
    ],
)
def test_refused(call, error, said):
    with pytest.raises(error) as raised:
        call()
    assert said in str(raised.value) and "\n" not in str(raised.value)


# ---- loading ----


def test_the_example_in_the_docstring():
    assert doctest.testmod(ops) == (0, 7)


@pytest.mark.slow
def test_importing_builds_nothing_and_a_call_without_a_compiler_says_so(tmp_path):
    script = (
        "from kernels import ops; import os, torch\n"
        f"assert os.listdir({str(tmp_path)!r}) == []\n"
        "try: ops.vector_add(torch.ones(3), torch.ones(3))\n"
        "except RuntimeError as error: print(error)\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PATH": "", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    assert done.stdout.startswith("there is no C++ compiler: install g++"), done.stderr
    assert done.stdout.count("\n") == 1


def test_many_threads_may_call_at_once():
    x = draw(3, 5, 40)
    expected = [x.sum(), x.sum(0), ops.polar(x), torch.bincount(draw_bytes(500), minlength=256)]
    failures = []

    def work():
        for _ in range(5):
            found = [ops.sum(x), ops.sum(x, 0), ops.polar(x), ops.histogram(draw_bytes(500))]
            try:
                for a, b in zip(found, expected, strict=True):
                    torch.testing.assert_close(a, b)
            except AssertionError as error:
                failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
