"""What the hardware counted, as benchmarks/results/*/fidelity.json holds it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

Number = int | float


@dataclass
class Launch:
    """One launch of a kernel; `sass` counts the memory instructions in the kernel's machine code, by opcode."""

    kernel: str  # mangled
    grid: str
    block: str
    metrics: dict[str, Number | None]  # None: Nsight Compute has no value here
    sass: dict[str, int] = field(default_factory=dict)


@dataclass
class Measured:
    """One case: digests of its source, inputs and outputs say whether another machine did the same."""

    source: str
    source_digest: str
    inputs: str
    outputs: str
    launches: list[Launch]

    def total(self, *metrics: str) -> Number | None:
        """The sum over metrics and launches; None if one of them has no value."""
        values = [launch.metrics.get(metric) for launch in self.launches for metric in metrics]
        return None if None in values else sum(value for value in values if value is not None)

    def opcodes(self) -> dict[str, int]:
        """Machine instructions that touch memory, over all kernels of the case."""
        kernels = {launch.kernel: launch.sass for launch in self.launches}
        found: dict[str, int] = {}
        for sass in kernels.values():
            for opcode, count in sass.items():
                found[opcode] = found.get(opcode, 0) + count
        return found


@dataclass
class Results:
    """`machine`: device, date, driver and versions of the tools. `unavailable`: metrics that this device lacks."""

    machine: dict[str, str]
    metrics: list[str]
    unavailable: list[str]
    cases: dict[str, Measured]

    def to_text(self) -> str:
        """JSON with one line a case, so that a new measurement makes a readable diff."""
        head = {"machine": self.machine, "metrics": self.metrics, "unavailable": self.unavailable}
        cases = []
        for name, case in self.cases.items():
            launches = [
                asdict(launch) | {"metrics": [launch.metrics.get(metric) for metric in self.metrics]}
                for launch in case.launches
            ]
            cases.append(f"  {json.dumps(name)}: {json.dumps(vars(case) | {'launches': launches})}")
        lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
        return "\n".join(["{", *lines, ' "cases": {', ",\n".join(cases), " }", "}", ""])

    def renewed(self, newer: Results) -> Results:
        """With the newer cases in place of those of the same name; a metric that a case lacks has no value."""
        metrics = list(dict.fromkeys([*newer.metrics, *self.metrics]))
        return Results(newer.machine, metrics, newer.unavailable, self.cases | newer.cases)

    @staticmethod
    def read(file: Path) -> Results:
        data = json.loads(file.read_text())
        cases = {}
        for name, case in data.pop("cases").items():
            launches = [
                Launch(**{**launch, "metrics": dict(zip(data["metrics"], launch["metrics"], strict=True))})
                for launch in case["launches"]
            ]
            cases[name] = Measured(**{**case, "launches": launches})
        return Results(cases=cases, **data)
