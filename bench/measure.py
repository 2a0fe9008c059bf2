"""Running things and comparing them: always in turn, judged by the median of the ratios of neighbours.

Absolute times move by half with whatever else a machine does; the ratio of two runs made one after the other
does not.  The first turn warms caches and is thrown away.
"""
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import time


@dataclasses.dataclass
class Run:
    wall: float  # seconds
    cpu: float  # user and system, of the command and of all it waited for
    peak: int  # bytes resident, of the largest process among them
    out: bytes


def run(command, ok=(0,), user=None):
    """Run to the end, as this user; any exit status but those in ok ends the benchmark."""
    read_end, write_end = os.pipe()
    start = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=write_end, user=user, group=user,
                               extra_groups=None if user is None else [])
    os.close(write_end)
    with open(read_end, "rb") as f:
        out = f.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in ok:
        said = out.decode(errors="replace")[-400:]
        sys.exit(f"bench: {' '.join(command)} exited {process.returncode}: {said}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, out)


def json_lines(command):
    return [json.loads(line) for line in run(command).out.splitlines()]


def in_turn(variants, pairs):
    """variants: functions.  All of them, one after the other, pairs times after one turn to warm up."""
    for variant in variants:
        variant()
    return [[variant() for variant in variants] for _ in range(pairs)]


@dataclasses.dataclass
class Row:
    row: int
    measure: str
    values: list  # one a pair: ratios, or what the unit says
    unit: str = "x"
    demand: float = None
    aim: float = None
    at_least: bool = False  # the demand is a lower bound
    detail: dict = dataclasses.field(default_factory=dict)

    @property
    def median(self):
        return statistics.median(self.values)

    def reaches(self, bound):
        return self.median >= bound if self.at_least else self.median <= bound

    def as_dict(self):
        return {"row": self.row, "measure": self.measure, "unit": self.unit, "median": self.median,
                "min": min(self.values), "max": max(self.values), "n": len(self.values),
                "demand": self.demand, "aim": self.aim, "at_least": self.at_least,
                "met": None if self.demand is None else self.reaches(self.demand),
                "aim_met": None if self.aim is None else self.reaches(self.aim), "detail": self.detail}


def ratios(turns, a, b, what="wall"):
    return [getattr(t[a], what) / getattr(t[b], what) for t in turns]
