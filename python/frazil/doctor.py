"""`frazil doctor`: what Frazil finds on this machine, and what to do about each problem."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl

import frazil

MACHINE_LEVELS = {  # the first of these whose features are all there is what the loops are compiled for
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "x86-64-v3": {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"},
    "x86-64-v2": {"cx16", "popcnt", "sse4_1", "sse4_2", "ssse3"},
}
LITTLE_MEMORY = 1 << 30


class Finding(NamedTuple):
    """One thing that was looked at: what was found, and what is wrong with it and to be done, if anything is."""

    about: str
    found: str
    problem: str = ""


def doctor() -> int:
    """Print all findings; the number of problems, at most 1, as exit code."""
    problems = 0
    for finding in findings():
        problems += bool(finding.problem)
        print(f"{'!' if finding.problem else ' '} {finding.about:<16} {finding.found}", flush=True)
        if finding.problem:
            print(f"  {'':<16} -> {finding.problem}")
    print("\nall is well" if not problems else f"\n{problems} problem{'s' if problems > 1 else ''}")
    return 1 if problems else 0


def findings() -> Iterator[Finding]:
    """Everything that is looked at, in order."""
    yield Finding("frazil", f"{frazil.__version__} in {Path(frazil.__file__).parent}")
    yield Finding("python", f"{platform.python_version()} on {platform.platform()}")
    yield polars_finding()
    module = module_finding()
    yield module
    yield cpu_finding()
    yield memory_finding()
    yield environment_finding()
    yield from gpu_findings()
    if not module.problem:
        yield plans_finding()
        yield query_finding("cpu")
        for number in range(len(gpus())):
            yield query_finding(f"cuda:{number}")


def polars_finding() -> Finding:
    """Whether Polars has engines that are not its own."""
    old = not hasattr(pl, "Engine")
    return Finding("polars", pl.__version__, "pip install 'polars>=2.1,<3'" if old else "")


def module_finding() -> Finding:
    """Whether the native part can be loaded."""
    try:
        from frazil import _frazil

        return Finding("native module", f"{len(_frazil.functions())} functions")
    except ImportError as error:
        return Finding("native module", f"cannot be loaded: {error}", "install the wheel for this system, or build it")


def cpu_finding() -> Finding:
    """The CPU, and the instruction set that is used of it."""
    text = read("/proc/cpuinfo")
    lines = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    values = {name.strip(): value.strip() for name, value in lines.items()}
    flags = set(values.get("flags", "").split())
    level = next((level for level, wanted in MACHINE_LEVELS.items() if wanted <= flags), "")
    found = f"{values.get('model name', platform.machine())}, {usable_cores()} cores, {level or 'unknown features'}"
    return Finding("cpu", found, "" if level else "Frazil wants x86-64-v2 or later: another machine")


def usable_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory_finding() -> Finding:
    """The memory that there is, and the limit of the container if it has one."""
    lines = dict(line.split(":", 1) for line in read("/proc/meminfo").splitlines() if ":" in line)
    total, free = (int(lines.get(name, "0").split()[0]) << 10 for name in ("MemTotal", "MemAvailable"))
    limit = read("/sys/fs/cgroup/memory.max").strip()
    told = f", limited to {gib(int(limit))}" if limit.isdigit() else ""
    problem = "close other programs, or set memory_limit" if free < LITTLE_MEMORY else ""
    return Finding("memory", f"{gib(free)} of {gib(total)} free{told}", problem)


def environment_finding() -> Finding:
    """What the environment says of options."""
    from frazil.engine.options import PREFIX, Options

    told = ", ".join(f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(PREFIX))
    try:
        Options.of({})
    except (TypeError, ValueError) as error:
        return Finding("environment", told, str(error))
    return Finding("environment", told or "sets no options")


class Gpu(NamedTuple):
    """A GPU, as the driver tells of it."""

    name: str
    bytes: int


def gpus() -> list[Gpu]:
    """The GPUs that the driver shows; none without a driver."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return []
    count, memory, device = ctypes.c_int(), ctypes.c_size_t(), ctypes.c_int()
    if cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count)):
        return []
    found = []
    for number in range(count.value):
        name = ctypes.create_string_buffer(128)
        cuda.cuDeviceGet(ctypes.byref(device), number)
        cuda.cuDeviceGetName(name, len(name), device)
        cuda.cuDeviceTotalMem_v2(ctypes.byref(memory), device)
        found.append(Gpu(name.value.decode(), memory.value))
    return found


def gpu_findings() -> Iterator[Finding]:
    """The driver, the GPUs, and whether Frazil's part for them is there."""
    driver = read("/proc/driver/nvidia/version").partition("\n")[0].partition(":")[2].strip()
    found = gpus()
    if not found:
        nodes = any(Path("/dev").glob("nvidia[0-9]*"))
        problem = "a GPU is there, and its driver does not answer: look at nvidia-smi" if nodes else ""
        yield Finding("gpu", "none; the CPU runs all queries" if not problem else "silent", problem)
        return
    yield Finding("gpu driver", driver or "there")
    backend = (Path(frazil.__file__).parent / "libfrazil_cuda.so").exists()
    for number, gpu in enumerate(found):
        problem = "" if backend else "this Frazil was built without CUDA: install the wheel with it, or use the CPU"
        yield Finding(f"gpu cuda:{number}", f"{gpu.name}, {gib(gpu.bytes)}", problem)


def plans_finding() -> Finding:
    """Whether Polars shows its plans as Frazil knows them."""
    from frazil.polars.selftest import differences

    found = differences()
    problem = f"Polars runs all queries itself; pip install 'polars==2.1.0'. First: {found[0]}" if found else ""
    return Finding("polars' plans", f"{len(found)} differences" if found else "as known", problem)


def query_finding(device: str) -> Finding:
    """A query on a device, and whether its answer is Polars'."""
    return tried(f"query on {device}", lambda: ask(device))


def ask(device: str) -> str:
    """Run a query on a device; raises if that does not work, or the answer is wrong."""
    rows = pl.LazyFrame({"k": [1, 2, 1, 3] * 1000, "v": range(4000), "s": ["a", "bc", "", "d"] * 1000})
    query = (
        rows.filter(pl.col("v") > 5)
        .group_by("k")
        .agg(pl.len(), total=(pl.col("v") * 2).sum(), most=pl.col("v").max())
        .sort("k")
    )
    with frazil.Engine(device=device, strict=True, progress=False) as engine:
        found, report = query.collect(engine=engine), engine.last_report
    if not found.equals(query.collect(engine="in-memory")):
        raise RuntimeError("the answer is not Polars': please report")
    assert report is not None
    return f"{sum(node.rows for node in report.nodes):,} rows by Frazil, the answer is Polars'"


def tried(about: str, work: Callable[[], str]) -> Finding:
    """What came of the work."""
    try:
        return Finding(about, work())
    except Exception as error:  # noqa: BLE001  whatever it is, it is what is wrong
        return Finding(about, "failed", f"{type(error).__name__}: {error}")


def gib(size: int) -> str:
    """A size for people."""
    return f"{size / 2**30:.1f} GiB"


def read(path: str) -> str:
    """The text of a file of the system, empty if it is not there."""
    try:
        return Path(path).read_text()
    except OSError:
        return ""
