"""Pictures of notebooks: alike but for how letters are drawn, or not."""

import base64
import io

import pytest
from PIL import Image

from docs import pictures
from grader.report import figures

BARS = {"1_naive": {"n": 4}, "2_tile": {"n": 1}}


def png(**changed) -> bytes:
    return figures.counters({name: {"n": changed.get(name, row["n"])} for name, row in BARS.items()}, "n")._repr_png_()


@pytest.fixture(scope="module")
def picture() -> bytes:
    return png()


def redrawn(data: bytes, by: int) -> bytes:
    """The picture, drawn `by` pixels further down."""
    old = Image.open(io.BytesIO(data)).convert("RGB")
    new = Image.new(old.mode, old.size, old.getpixel((0, 0)))
    new.paste(old, (0, by))
    file = io.BytesIO()
    new.save(file, "PNG")
    return file.getvalue()


def test_a_pixel_more_or_less_is_no_difference(picture):
    assert pictures.difference(picture, picture) == ""
    assert pictures.difference(picture, redrawn(picture, 1)) == ""


def test_another_bar_and_another_size_are(picture):
    assert "of the picture is different" in pictures.difference(picture, png(**{"2_tile": 3}))
    pixel = io.BytesIO()
    Image.new("L", (1, 1)).save(pixel, "PNG")
    assert pictures.difference(pixel.getvalue(), picture).endswith("pixels now, and was 1 × 1")


def test_a_cells_pictures_are_compared_in_their_order(picture):
    def output(data):
        return {"data": {"image/png": base64.b64encode(data).decode(), "text/plain": "a picture"}}

    text, other = {"name": "stdout", "text": "1"}, png(**{"2_tile": 3})
    assert pictures.differences([text, output(picture)], [output(picture), text]) == []
    assert len(pictures.differences([output(picture), output(picture)], [output(picture), output(other)])) == 1
    assert pictures.differences([output(picture)], [text]) == ["there are 0 pictures now, and were 1"]
