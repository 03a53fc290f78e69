"""The roofline of a matrix product as a form: sizes and two speeds of a machine in, what bounds the product out.

The arithmetic is done twice, in Python for the text and in the page's own script for those who change a field.
"""

from __future__ import annotations

from html import escape

from grader.report.pages import Page

FIELDS = {
    "m": "m",
    "n": "n",
    "k": "k",
    "size": "bytes an element",
    "rate": "Tflop/s",
    "bandwidth": "TB/s",
}
INPUT = (
    '<label style="margin-right:1em;white-space:nowrap">{label} '
    '<input name="{name}" type="number" step="any" min="0" value="{value}" style="width:6.5em"></label>'
)
SCRIPT = """
(form => {
  const ms = (s) => (1000 * s).toPrecision(3) + " ms";
  form.oninput = () => {
    const [m, n, k, size, rate, bandwidth] = [...form.querySelectorAll("input")].map((field) => Number(field.value));
    const operations = 2 * m * n * k, bytes = size * (m * k + k * n + m * n);
    const intensity = operations / bytes, ridge = rate / bandwidth;
    form.querySelector("output").textContent =
      `${intensity.toFixed(1)} flop/byte, ridge ${ridge.toFixed(1)}: ` +
      (intensity > ridge ? "compute-bound" : "memory-bound") +
      `. Arithmetic alone takes ${ms(operations / rate / 1e12)}, memory alone ${ms(bytes / bandwidth / 1e12)}.`;
  };
})(document.currentScript.previousElementSibling);
"""


def calculator(m: int, n: int, k: int, *, rate: float, bandwidth: float, element_bytes: int = 4) -> Page:
    """What bounds an m × k by k × n product on a machine of `rate` flop/s and `bandwidth` B/s, in fields to change."""
    values = (m, n, k, element_bytes, round(rate / 1e12, 1), round(bandwidth / 1e12, 2))
    inputs = "\n".join(
        INPUT.format(label=escape(label), name=name, value=value)
        for (name, label), value in zip(FIELDS.items(), values, strict=True)
    )
    says = _bound(*values)
    form = f'<form style="line-height:2.2">\n{inputs}\n<br><output>{escape(says)}</output>\n</form>'
    return Page(f"{m} × {n} × {k}: {says}", f"{form}<script>{SCRIPT}</script>")


def _bound(m: int, n: int, k: int, size: int, rate: float, bandwidth: float) -> str:
    """`rate` in Tflop/s, `bandwidth` in TB/s. The same sentence as the script's."""
    operations, moved = 2 * m * n * k, size * (m * k + k * n + m * n)
    intensity, ridge = operations / moved, rate / bandwidth
    bound = "compute-bound" if intensity > ridge else "memory-bound"
    arithmetic, memory = (
        f"{_three(1000 * seconds)} ms" for seconds in (operations / rate / 1e12, moved / bandwidth / 1e12)
    )
    return (
        f"{intensity:.1f} flop/byte, ridge {ridge:.1f}: {bound}. "
        f"Arithmetic alone takes {arithmetic}, memory alone {memory}."
    )


def _three(value: float) -> str:
    """Three digits, as JavaScript's toPrecision(3) writes them between 0.000001 and 1000."""
    return f"{value:#.3g}".rstrip(".")
