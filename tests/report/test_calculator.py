"""The form of a product's roofline: what it says at first, and that its script says the same."""

from __future__ import annotations

import re

import pytest

from grader.report.calculator import calculator
from tests import browser

V100 = {"rate": 125e12, "bandwidth": 0.9e12, "element_bytes": 2}


@pytest.mark.parametrize(("n", "says"), [(128, "124.1 flop/byte, ridge 138.9: memory-bound"), (8192, "compute-bound")])
def test_says_which_side_of_the_ridge_a_product_is_on(n, says):
    page = calculator(8192, n, 8192, **V100)
    assert says in page.text and says in page.html


def test_is_a_form_of_its_own_whose_script_needs_no_network():
    html = calculator(4096, 4096, 4096, rate=51.2e12, bandwidth=4.15e12).html
    assert "memory alone 0.0485 ms" in html and re.findall(r'name="(\w+)"', html) == [
        "m",
        "n",
        "k",
        "size",
        "rate",
        "bandwidth",
    ]
    assert "http" not in html


@pytest.mark.slow
@pytest.mark.skipif(browser.find() is None, reason="there is no browser")
def test_its_script_computes_what_python_does(tmp_path):
    file = tmp_path / "page.html"
    file.write_text(calculator(64, 64, 64, rate=51.2e12, bandwidth=4.15e12).html)
    change = """(() => {
        const values = [8192, 128, 8192, 2, 125, 0.9], form = document.querySelector("form");
        form.querySelectorAll("input").forEach((field, at) => { field.value = values[at]; });
        form.dispatchEvent(new Event("input"));
        return form.querySelector("output").textContent;
    })()"""
    with browser.Browser() as page:
        page.open(file, 800)
        assert calculator(8192, 128, 8192, **V100).text.endswith(page.value(change))
