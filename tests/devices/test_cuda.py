"""What can be said of the GPU's side without one: errors, messages of nvcc, states, orders."""

import json
import socket

import pytest

from grader.devices.build import diagnostics
from grader.devices.cuda.card import find_card, read_state
from grader.devices.cuda.compile import CudaRecipe, architecture
from grader.devices.cuda.errors import ends_the_context, finding_of
from grader.devices.cuda.launches import plain_name
from grader.devices.cuda.session import _orders
from grader.judge.verdict import status_of


@pytest.mark.parametrize(
    ("code", "status", "sticky"),
    [
        (700, "out_of_bounds", True),
        (716, "misaligned", True),
        (710, "crash", True),
        (719, "crash", True),
        (702, "timeout", True),
        (9, "launch_error", False),
        (1, "launch_error", False),
        (701, "launch_error", False),
        (12345, "launch_error", False),
    ],
)
def test_cuda_errors_become_the_emulators_statuses(code, status, sticky):
    finding = finding_of(code, "cudaErrorSome", "some words")
    assert status_of(finding) == status and ends_the_context(code) == sticky
    assert "cudaErrorSome" in finding.message and finding.details["cuda_error"] == code


NVCC = """\
add.cu(2): error: identifier "foo" is undefined
  __attribute__((global)) void k(float* z) { z[0] = foo; }
                                                    ^

add.cu(3): error #20-D: identifier "bar" is undefined
add.cu(4): warning #549-D: variable "s" is used before its value is set
<what the grader calls>(1): error: linkage specification is incompatible with previous "vector_add" (line 11 of add.cu)
ptxas error   : Entry function '_Z3addPf' uses too much shared data (0x10000 bytes, 0xc000 max)
3 errors detected in the compilation of "cuda.cu".
"""


def test_nvccs_messages_are_understood():
    found = diagnostics.parse_compiler_output(NVCC, "add.cu")
    assert [(m.line, m.in_entry) for m in found] == [(2, None), (3, None), (None, 1), (None, None)]
    assert found[0].text == 'identifier "foo" is undefined' and "too much shared data" in found[3].text


@pytest.mark.parametrize(
    ("mangled", "name"),
    [
        ("_Z3addPKfS0_Pfi", "add"),
        ("_Z4tileILi32ELb1EEvPKfPfi", "tile"),
        ("_ZN12_GLOBAL__N_13foo5innerEPf", "inner"),
        ("plain", "plain"),
    ],
)
def test_kernels_have_the_names_of_the_source(mangled, name):
    assert plain_name(mangled) == name


def test_the_state_of_a_card_is_what_it_tells():
    assert read_state("1980, 3201, 456.45, 40, 0x0000000000000000\n") == {
        "sm_clock_mhz": 1980.0,
        "memory_clock_mhz": 3201.0,
        "power_w": 456.45,
        "temperature_c": 40.0,
        "clock_limits": "0x0000000000000000",
    }
    assert read_state("[N/A], 3201, [N/A], 40, [N/A]") == {"memory_clock_mhz": 3201.0, "temperature_c": 40.0}
    assert read_state("") == {}


def test_architectures_are_the_cards_own():
    assert [architecture(*each) for each in ((7, 5), (8, 0), (8, 9), (9, 0), (12, 0))] == [
        "75",
        "80",
        "89",
        "90a",
        "120a",
    ]
    assert "-gencode=arch=compute_90a,code=sm_90a" in CudaRecipe("", "90a").flags


def test_orders_come_in_pieces_and_with_descriptors():
    judge, worker = socket.socketpair()
    with open(__file__) as file:
        socket.send_fds(judge, [json.dumps({"do": "open"}).encode() + b"\n"], [file.fileno(), file.fileno()])
    orders = _orders(worker.detach())
    first, descriptors = next(orders)
    assert first == {"do": "open"} and len(descriptors) == 2
    judge.sendall(b'{"do": "on')
    judge.sendall(b'ce"}\n{"do": "end"}\n')
    judge.close()
    assert list(orders) == [({"do": "once"}, []), ({"do": "end"}, [])]


def test_without_cuda_there_is_a_reason():
    card, reason = find_card()
    assert card is not None or reason
