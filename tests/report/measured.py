"""Results of a benchmark as `ladder bench` writes them, made up, for the tests of tables and pictures."""

from __future__ import annotations

CEILINGS = {
    "copy": {"rate": 4.0e12, "unit": "B/s", "noise": 0.001},
    "read": {"rate": 3.9e12, "unit": "B/s", "noise": 0.001},
    "fp32": {"rate": 5.0e13, "unit": "flop/s", "noise": 0.001},
    "bf16": {"rate": 7.5e14, "unit": "flop/s", "noise": 0.001},
}


def contender(name, kind, us, **changes):
    result = {"name": name, "kind": kind, "status": "passed", "message": "", "median_us": us, "noise": 0.002,
              "samples": 40, "graph_us": None, "extra_bytes": None if kind == "cpu" else 0}  # fmt: skip
    return result | changes


def case(n, *contenders, timed=False, flops=None, size=12, **changes):
    limit = {"name": "copy", "unit": "B/s", "work": size * n, "rate": 4.0e12, "us": 1e6 * size * n / 4.0e12}
    made = {"name": f"n={n}", "sizes": {"n": n}, "is_timed_case": timed, "bytes": size * n, "flops": flops,
            "specials": None, "ceilings": CEILINGS, "limit": limit, "state": {}, "message": "",
            "results": list(contenders)}  # fmt: skip
    return made | changes


def sweep(*sizes, flops=None):
    """Cases of a task that moves 12 bytes an element; the last is the timed one."""
    return [
        case(
            n,
            contender("1_naive", "rung", 2 + n / 2e5, graph_us=1 + n / 2e5 if n < 1e6 else None),
            contender("2_good", "rung", 2 + n / 3.3e5),
            contender("torch.add", "baseline", 2 + n / 3e5),
            contender("torch.slow", "baseline", 2 + n / 1e5, extra_bytes=8 * n),
            contender("openmp", "cpu", 5 + n / 1e4),
            timed=n == sizes[-1],
            flops=n * flops if flops else None,
        )
        for n in sizes
    ]


def results(*tasks, lesson="01_vector_add"):
    """`tasks` are pairs (name, cases)."""
    return {
        "schema": 1, "lesson": lesson, "title": "A lesson", "device": {"name": "NVIDIA H200"}, "date": "2026-11-21",
        "versions": {"torch": "2.11.0", "driver": "580.1"}, "state": {"before": {}, "after": {}}, "method": {},
        "quick": False, "tasks": [{"name": name, "cases": cases} for name, cases in tasks],
    }  # fmt: skip
