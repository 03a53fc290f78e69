"""One file that comes over a bad network: cut off, resumed, damaged, refused, late."""

from __future__ import annotations

import socket
import threading
import time

import pytest
from package_index import TORCH_TAG

from grader.faces import download
from grader.faces.download import DownloadError, fetch, list_wheels

NAME = f"torch-2.13.0+cpu-{TORCH_TAG}.whl"
HALF, MOST = 1_000_000, 2_500_000  # of the wheel's 3 MB


@pytest.fixture
def offered(torches):
    """The wheel, as the index lists it, and what it has to be."""
    (wheel,) = [each for each in list_wheels(f"{torches.url}/cpu", "torch", 3) if each.name == NAME]
    torches.asked.clear()
    return wheel, torches.files[f"cpu/{NAME}"]


@pytest.mark.parametrize("json", [False, True])
def test_both_kinds_of_index_are_read(torches, json):
    torches.json = json
    found = {wheel.name: wheel for wheel in list_wheels(f"{torches.url}/cpu/", "torch", 3)}
    assert sorted(found) == [NAME, NAME.replace("2.13", "2.14")]
    assert found[NAME].url.startswith(torches.url) and len(found[NAME].sha256) == 64


@pytest.mark.parametrize("json", [False, True])
def test_a_file_without_a_hash_is_not_listed(torches, json):
    torches.json, torches.hashes[f"cpu/{NAME}"] = json, ""
    assert NAME not in [wheel.name for wheel in list_wheels(f"{torches.url}/cpu", "torch", 3)]


def test_it_arrives_whole(offered, tmp_path, torches):
    wheel, data = offered
    assert download.size_of(wheel) == len(data)
    assert fetch(wheel, tmp_path).read_bytes() == data
    assert [path.name for path in tmp_path.glob("torch*")] == [NAME]
    assert len([each for each in torches.asked if each.startswith("GET")]) == 1


def test_a_connection_that_drops_is_taken_up_where_it_dropped(offered, tmp_path, torches):
    wheel, data = offered
    torches.cuts = [HALF, HALF]
    assert fetch(wheel, tmp_path).read_bytes() == data
    assert [each.partition(" bytes=")[2] for each in torches.asked] == ["", f"{HALF}-", f"{2 * HALF}-"]


def test_a_later_try_goes_on_where_the_first_one_stopped(offered, tmp_path, torches, monkeypatch):
    wheel, data = offered
    monkeypatch.setattr(download.time, "sleep", lambda seconds: None)
    torches.cuts = [MOST] + [0] * download.TRIES
    with pytest.raises(DownloadError, match=r"the connection ended early, with 2 MB fetched"):
        fetch(wheel, tmp_path)
    assert download.begun(wheel, tmp_path) == MOST and not (tmp_path / NAME).exists()
    torches.asked.clear()
    assert fetch(wheel, tmp_path).read_bytes() == data
    assert [each.partition(" bytes=")[2] for each in torches.asked] == [f"{MOST}-"]


def test_a_server_that_knows_no_parts_sends_it_all_again(offered, tmp_path, torches):
    wheel, data = offered
    torches.cuts, torches.ranges = [HALF], False
    assert fetch(wheel, tmp_path).read_bytes() == data


@pytest.mark.parametrize("old", [b"what another file had", b"x" * 4_000_000], ids=["shorter", "longer"])
def test_what_another_file_has_left_is_thrown_away(offered, tmp_path, old):
    wheel, data = offered
    (tmp_path / f"{NAME}.part").write_bytes(old)
    assert fetch(wheel, tmp_path).read_bytes() == data


def test_what_differs_from_its_hash_is_not_kept(offered, tmp_path):
    wheel, _ = offered
    with pytest.raises(DownloadError, match="SHA-256"):
        fetch(download.Wheel(wheel.name, wheel.url, "0" * 64), tmp_path)
    assert download.begun(wheel, tmp_path) == 0 and not (tmp_path / NAME).exists()


def test_a_file_that_is_gone_is_not_asked_for_again(offered, tmp_path, torches):
    wheel, _ = offered
    torches.files.clear()
    with pytest.raises(DownloadError, match="Not Found"):
        fetch(wheel, tmp_path)
    assert len(torches.asked) == 1


def test_two_at_once_fetch_it_once(offered, tmp_path, torches):
    wheel, data = offered
    threads = [threading.Thread(target=fetch, args=(wheel, tmp_path)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / NAME).read_bytes() == data
    assert len(torches.asked) == 1


def test_an_index_that_is_not_there(index):
    index.close()
    with pytest.raises(DownloadError, match="Connection refused"):
        list_wheels(index.url, "torch", 3)


def test_an_index_that_never_answers_is_not_waited_for():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        start = time.monotonic()
        with pytest.raises(DownloadError, match=r"no answer within 0.3 s"):
            list_wheels(f"http://127.0.0.1:{silent.getsockname()[1]}", "torch", 0.3)
        assert time.monotonic() - start < 5


@pytest.mark.parametrize("text", ["{", "[1]", '{"files": [{}]}'])
def test_an_index_that_answers_with_something_else(torches, text):
    torches.json, torches.instead = True, text
    with pytest.raises(DownloadError):
        list_wheels(f"{torches.url}/cpu", "torch", 3)


def test_the_page_that_a_hotel_shows_instead_lists_nothing(torches):
    torches.instead = '<html><a href="/login">Welcome<a>'
    assert list_wheels(f"{torches.url}/cpu", "torch", 3) == []


def test_how_far_it_is_stands_in_a_line_for_each_quarter(offered, tmp_path, capsys):
    wheel, _ = offered
    fetch(wheel, tmp_path)
    lines = capsys.readouterr().out.splitlines()
    assert 1 <= len(lines) <= 4 and all(line.startswith("  torch-2.13.0+cpu  ") for line in lines)
    assert "3 of 3 MB" in lines[-1] and "MB/s" in lines[-1]
