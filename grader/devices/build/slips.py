"""A newcomer's slips in C++ itself, by what clang says of them: a sentence that says what to type."""

from __future__ import annotations

_VECTOR = r"(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]"
_MADE = (
    "`{name}` is made of numbers by `make_{name}(...)`; an array's next ones are `*reinterpret_cast<const {name}*>(p)`"
)
_NO_MEMBER = "`{name}` is no member of `{type}`: its members are the small letters .x, .y, ..."
_NO_FUNCTION = "this is no function: an element of an array is `p[i]`, and a product needs its `*`"
_NO_POINTER = "`*` needs a pointer, and this is `{name}`: `p[i]` is the element itself, and a power is `powf(a, b)`"
_NO_ARRAY = "[ ] needs an array or a pointer: an element of a matrix in one array is `p[row * cols + col]`"
_NO_INDEX = "an index must be a whole number: cast it, `int(i)`"
_LAUNCH = "a kernel is launched with <<< >>>: `kernel<<<blocks, threads, 0, stream>>>(...)`"
_NO_TYPE = "a type is missing here: a kernel is `__global__ void`, and other functions say what they return"
_NO_NAMESPACE = "the namespace's header is missing: <mma.h> for nvcuda, <cooperative_groups.h> for cooperative_groups"
_NO_MEMBERS = "`{type}` has no members: an element of the array is `p[i]`, and its length is not known here"

_NO_VERSION = "`{name}` has no version for these arguments: is one a pointer, or a number, where the other belongs?"
_ONE_TYPE = "`std::{name}` takes two values of one type, and these are of two: name it, `std::{name}<float>(a, b)`"

_LESS_CONST = "what is `{two}` can only be read, and `{one}` could write it: write `const` there, too"
_MMA = (
    "`mma_sync(d, a, b, c)` takes fragments of an accumulator, matrix_a, matrix_b, accumulator: of one shape and type"
)
_LOAD = (
    "`load_matrix_sync(fragment, p, stride)` takes a pointer to the fragment's own type; an accumulator needs a layout"
)
_STORE = "`store_matrix_sync(p, fragment, stride, wmma::mem_row_major)` takes a pointer to the accumulator's own type"

_TWO_TYPES = "the two values of this `? :` are `{one}` and `{two}`: write both as one type, `{one}(...)`"
_NO_FRAGMENT = (
    "wmma has no such fragment: numbers of 16 bits go by 16, 16, 16 (or 32, 8, 16, or 8, 32, 16), matrix_a and matrix_b"
    " have a layout behind the type, and the accumulator of `__nv_bfloat16` is `float`"
)
_VOID = "`{name}` is `void`, which gives nothing back: write `float`, or what it returns, before its name, or `return;`"
_WHOLE_ARRAY = "this is a whole array, and each index names one of its sizes: `a[y][x]` is an element of `a[4][8]`"
_WHOLE_ROW = "this is a whole row of an array: an element of it is `a[y][x]`, for in `a[y, x]` only x counts"
_IN_BRACKETS = "`{name}` has its condition in ( ): `{name} (i < n) {{ ... }}`, with no `:`"
_THREE_PARTS = "`for` has its three parts in ( ): `for (int i = 0; i < n; ++i) {{ ... }}`, with no `:`"
_NO_BRACKET = "a `)` is missing before this, or a `,` between two arguments"
_ALONE = "a kernel is `__global__` alone, without `__{name}__`"
_BY_NAME = "`{name}` has no [ ]: its members are .x, .y, ..., as in `threadIdx.x`"
_NO_VALUE_YET = "a `const` variable gets its value in this very line, or never: take `const` out"
_AT_THE_START = "`alignas` and `[[...]]` cannot stand here: write them at the start of the declaration"
_OUTSIDE = "a `__constant__`, `__device__` or `__managed__` variable belongs outside of all functions: move it there"
_MOVED = (
    "this call takes the value away from its variable: write `std::move(...)` around it, as in `b.wait(std::move(t))`"
)
_NO_COMPARISON = "C++17 has no `<=>`: write the comparisons that you need, as `operator<`"
_ONE_INDEX = "`operator[]` takes one index in C++17: write `operator()`, and `m(row, col)`"
_OVER = "this `goto` jumps past a line that gives a variable its value: declare that one before the `goto`, or in {{ }}"
_WHOLE = "a `switch` is for whole numbers: for others write `if` and `else if`"
_INSIDE = "no function stands in another: a `}}` is missing above, or write a lambda, `auto f = [&](int i) {{ ... }};`"
_NO_METHOD = "the kernel `{name}` cannot be a member of a class: write it outside, as a function"
_NO_TEXTURE = "texture references have gone from CUDA: read the array itself"
_KNOWN = "a number is needed here that is known when the file is compiled: a `constexpr` one, or a template's"
_BITS = "`{two}` has no other reading as `{one}` in this way: the bits of a float are `__float_as_int(x)`"
_OF_HOST_MEMORY = "`std::unique_ptr` and its kin are the host's: hand the kernel a pointer to memory from cudaMalloc"
_NO_VALUE_OF_A_CALL = "this call gives nothing back, as a launch does: a kernel stores its results in memory"

SLIPS = (
    (r"cannot jump from this goto statement", _OVER),
    (r"statement requires expression of integer type", _WHOLE),
    (r"function definition is not allowed here", _INSIDE),
    (r"kernel function '(?P<name>\w+)' must be a free function or static", _NO_METHOD),
    (r"no template named 'texture'", _NO_TEXTURE),
    (r"expression is not an integral constant expression", _KNOWN),
    (r"reinterpret_cast from '(?P<two>float|double)' to '(?P<one>\w+)' is not allowed", _BITS),
    (r"default initialization of an object of const type", _NO_VALUE_YET),
    (r"an attribute list cannot appear here", _AT_THE_START),
    (r"__constant__, __device__, and __managed__ are not allowed on non-static local variables", _OUTSIDE),
    (r"rvalue reference to type '.*' cannot bind to lvalue", _MOVED),
    (r"'operator<=' cannot be the name of a variable", _NO_COMPARISON),
    (r"overloaded 'operator\[\]' cannot have more than one parameter", _ONE_INDEX),
    (r"expected '\(' after '(?P<name>if|while|switch)'", _IN_BRACKETS),
    (r"expected '\(' after 'for'", _THREE_PARTS),
    (r"expected '\)'$", _NO_BRACKET),
    (r"'global' and '(?P<name>host|device)' attributes are not compatible", _ALONE),
    (r"'(?P<name>host|device)' and 'global' attributes are not compatible", _ALONE),
    (rf"type '(?:const )?(?P<name>{_VECTOR}|dim3)' does not provide a subscript operator", _BY_NAME),
    (r"(?:assigning to|cannot initialize) .* (?:type|value of type) 'void'$", _NO_VALUE_OF_A_CALL),
    (
        r"conditional expression is ambiguous; '(?:const )?(?P<one>[^']*)' and '(?:const )?(?P<two>[^']*)' can be",
        _TWO_TYPES,
    ),
    (
        r"conditional expression is ambiguous; '(?:const )?(?P<one>.*?)' can be converted to '(?P<two>.*?)'",
        _TWO_TYPES,
    ),
    (r"static assertion failed.*: wmma has no fragment", _NO_FRAGMENT),
    (r"void function '(?P<name>\w+)' should not return a value", _VOID),
    (r"array type '[^'*]*' is not assignable", _WHOLE_ARRAY),
    (r"(?:assigning to|cannot initialize) .* type '[^'*]*\w ?\[\d+\]'", _WHOLE_ROW),
    (r"invalid operands to binary expression \(.*'[^'*]*\w ?\[\d+\]'", _WHOLE_ROW),
    (r"assigning to '(?P<one>.*)' from '(?P<two>const .*)' discards", _LESS_CONST),
    (
        r"cannot initialize .* of type '(?P<one>void \*|[^']*[^*] \*)' with an .value of type '(?P<two>const .* \*)'",
        _LESS_CONST,
    ),
    (r"assigning to '(?P<one>.*)' from incompatible type '(?P<two>.*)'", "`{one}` is needed here, and this is `{two}`"),
    (rf"no member named '(?P<name>\w+)' in '(?P<type>{_VECTOR}|dim3)'", _NO_MEMBER),
    (r"called object type .* is not a function", _NO_FUNCTION),
    (r"indirection requires pointer operand \('std::\w+_ptr<", _OF_HOST_MEMORY),
    (r"value of type 'void' is not contextually convertible", _NO_VALUE_OF_A_CALL),
    (r"indirection requires pointer operand \('(?P<name>.*)' invalid\)", _NO_POINTER),
    (r"subscripted value is not an array", _NO_ARRAY),
    (r"array subscript is not an integer", _NO_INDEX),
    (r"subscript of pointer to function", _LAUNCH),
    (r"comparison between pointer and integer \('void \(\*\)", _LAUNCH),
    (r"a type specifier is required|C\+\+ requires a type specifier", _NO_TYPE),
    (r"expected namespace name", _NO_NAMESPACE),
    (r"member reference base type '(?P<type>.*\*)' is not a structure", _NO_MEMBERS),
    (r"expected function body after function declarator", "a `{{` is missing before this"),
    (r"no matching function for call to '(?:\w+::)*mma_sync'", _MMA),
    (r"no matching function for call to '(?:\w+::)*load_matrix_sync'", _LOAD),
    (r"no matching function for call to '(?:\w+::)*store_matrix_sync'", _STORE),
    (r"no matching function for call to '(?P<name>max|min)'", _ONE_TYPE),
    (r"no matching function for call to '(?P<name>[^']*)'", _NO_VERSION),
    (rf"no matching (?:conversion for .* to|constructor for initialization of) '(?P<name>{_VECTOR})'", _MADE),
    (rf"cannot initialize a (?:parameter|variable) of type '(?P<name>{_VECTOR})'", _MADE),
    (rf"no viable conversion from '(?:const )?(?:float|double|int|unsigned int)' to '(?P<name>{_VECTOR})'", _MADE),
)
