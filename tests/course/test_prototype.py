"""The prototype text is the one place where argument order, types and shapes come from."""

import ctypes

import pytest

from grader.course.prototype import TYPES, PrototypeError, evaluate_shape, parse_prototype

VECTOR_ADD = "void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream)"


def test_roles_follow_constness_and_order_is_kept():
    prototype = parse_prototype(VECTOR_ADD)
    assert prototype.name == "vector_add"
    assert [(p.name, p.role) for p in prototype.parameters] == [
        ("x", "input"),
        ("y", "input"),
        ("z", "output"),
        ("n", "scalar"),
        ("stream", "stream"),
    ]
    assert [p.name for p in prototype.inputs] == ["x", "y"]
    assert [p.name for p in prototype.outputs] == ["z"]
    assert [p.name for p in prototype.buffers] == ["x", "y", "z"]
    assert [p.name for p in prototype.scalars] == ["n"]


def test_declaration_is_c_text_that_parses_to_the_same_prototype():
    prototype = parse_prototype(VECTOR_ADD)
    assert prototype.declaration == VECTOR_ADD
    assert parse_prototype(f'extern "C"  {prototype.declaration} ;') == prototype


@pytest.mark.parametrize(
    ("spelling", "name", "torch_name", "size"),
    [
        ("float", "float", "float32", 4),
        ("double", "double", "float64", 8),
        ("__half", "half", "float16", 2),
        ("half", "half", "float16", 2),
        ("__nv_bfloat16", "__nv_bfloat16", "bfloat16", 2),
        ("unsigned", "unsigned int", "uint32", 4),
        ("unsigned int", "unsigned int", "uint32", 4),
        ("unsigned char", "unsigned char", "uint8", 1),
        ("signed char", "signed char", "int8", 1),
        ("char", "char", "int8", 1),
        ("short", "short", "int16", 2),
        ("long long int", "long long", "int64", 8),
        ("unsigned long long", "unsigned long long", "uint64", 8),
        ("size_t", "size_t", "uint64", 8),
        ("bool", "bool", "bool", 1),
    ],
)
def test_element_types(spelling, name, torch_name, size):
    (x, out, _) = parse_prototype(f"void f(const {spelling}* x, {spelling} *out, cudaStream_t s)").parameters
    assert (x.type.name, x.type.torch, x.type.bytes, x.role) == (name, torch_name, size, "input")
    assert out.type == x.type and out.role == "output"


def test_ctypes_have_the_size_that_is_stated():
    assert all(ctypes.sizeof(ctype.ctypes) == ctype.bytes for ctype in TYPES.values())


def test_unit_roundoff_is_half_of_torch_eps():
    torch = pytest.importorskip("torch")
    for name in ("float", "double", "half", "__nv_bfloat16"):
        dtype = getattr(torch, TYPES[name].torch)
        assert TYPES[name].unit_roundoff == torch.finfo(dtype).eps / 2


@pytest.mark.parametrize("text", ["float const* x", "const float *x", "const float* __restrict__ x", "const  float*x"])
def test_ways_to_write_an_input(text):
    assert parse_prototype(f"void f({text}, float* y, cudaStream_t s)").parameters[0].declaration == "const float* x"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not a prototype"),
        ("void f", "is not a prototype"),
        ("int f(float* x, cudaStream_t s)", "f returns `int`"),
        ("void f()", "the last parameter"),
        ("void f(float* x)", "the last parameter, and only that, must be `cudaStream_t stream`"),
        ("void f(cudaStream_t s, float* x)", "the last parameter"),
        ("void f(float* x, cudaStream_t* s)", "parameter 2, `cudaStream_t* s`, points to a stream"),
        ("void f(const float* x, cudaStream_t s)", "there is no output"),
        ("void f(floot* x, cudaStream_t s)", "unknown type `floot`; known are float, double"),
        ("void f(float** x, cudaStream_t s)", "pointer to a pointer"),
        ("void f(float x[], cudaStream_t s)", "parameter 1, `float x[]`"),
        ("void f(float& x, cudaStream_t s)", "parameter 1, `float& x`"),
        ("void f(float*, cudaStream_t s)", "parameter 1, `float*`"),
        ("void f(float* x, unsigned int, cudaStream_t s)", "parameter 2, `unsigned int`"),
        ("void f(float* x, int n = 3, cudaStream_t s)", "parameter 2, `int n = 3`"),
        ("void f(float* x, float* x, cudaStream_t s)", "two parameters are called x"),
        ("void f(float* x, half a, cudaStream_t s)", "pass it as `float a`"),
        ("void f(float* 2x, cudaStream_t s)", "parameter 1"),
    ],
)
def test_a_bad_prototype_is_explained_in_one_sentence(text, said):
    with pytest.raises(PrototypeError) as error:
        parse_prototype(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("expression", "shape"),
    [
        ("n", (64,)),
        ("2 * n", (128,)),
        ("rows, cols", (3, 70)),
        ("rows, ceil_div(cols, 32)", (3, 3)),
        ("(rows + 1) * cols - 2", (278,)),
        ("cols // 32, cols % 32", (2, 6)),
        ("min(rows, cols), max(rows, cols)", (3, 70)),
        ("1", (1,)),
    ],
)
def test_shapes(expression, shape):
    assert evaluate_shape(expression, {"n": 64, "rows": 3, "cols": 70}) == shape


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("m", "m is no integer size; there are n, scale"),
        ("scale", "scale is no integer size"),
        ("n / 2", "`n / 2` is not allowed"),
        ("n ** 2", "not allowed"),
        ("__import__('os')", "not allowed"),
        ("n.real", "not allowed"),
        ("n // 0", "cannot be computed"),
        ("n - 65", "is negative"),
        ("n,,", "cannot be computed"),
    ],
)
def test_a_bad_shape_is_explained(expression, said):
    with pytest.raises(PrototypeError, match="shape ") as error:
        evaluate_shape(expression, {"n": 64, "scale": 0.5})
    assert said in str(error.value)
