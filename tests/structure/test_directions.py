"""Who may include whom, and where words of CUDA may stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from source_tree import CPP, ROOT, files, includes, plant, without_comments, without_host_part

# A file includes from its own folder or from folders to its left.
LINE = (
    "base < memory < columns < program < primitives < formats < plan < execute < lower < functions < operators < engine"
)
STRATA = LINE.split(" < ")
CUDA_WORD = re.compile(
    r"\b(cu[A-Z]\w+|(?i:cuda\w*|nvrtc\w*|nccl\w*|nvcc|cub|thrust|warps?|ballot)|"
    r"__(?:global|device|host|shared|constant)__|__(?:syncthreads|syncwarp|CUDACC\w*|CUDA_ARCH__|\w+_sync))\b"
)
KNOWS_COMPILERS = "src/base/target.hpp"
# The GPU's interpreters stand above functions: the build completes them with text made of the function files.
INTERPRETER = {
    f"src/primitives/cuda/{name}"
    for name in ("interpreter.cuh", "totals.cu", "rows.cuh", "rows.cu", "rows_1.cu", "rows_4.cu")
}
GENERATED = {"device_functions.hpp", "device_functions.inc"}
NAMES_DEVICES = ("src/engine/", "python/bind/")  # "cuda" as a string is what a user says


def wrong_includes(root: Path) -> list[str]:
    """Includes against the line of strata, and of what is in no stratum."""
    wrong = []
    for path in files(root, "src", CPP):
        above = str(path.relative_to(root)) in INTERPRETER
        own = "functions" if above else path.relative_to(root / "src").parts[0]
        for sign, name in includes(path.read_text()):
            other = name.split("/")[0]
            if (sign == "<" and other not in STRATA) or (above and name in GENERATED):
                continue
            if other not in STRATA or STRATA.index(other) > STRATA.index(own):
                wrong.append(f"{path.relative_to(root)} includes {name}")
    return wrong


def stray_cuda_words(root: Path) -> list[str]:
    """Words of CUDA in code outside */cuda/, .cu, .cuh and the file that knows the compilers."""
    stray = []
    for path in files(root, "src", CPP) + files(root, "python/bind", CPP):
        name = str(path.relative_to(root))
        if path.suffix in {".cu", ".cuh"} or "/cuda/" in name or name == KNOWS_COMPILERS:
            continue
        text = without_comments(path.read_text(), keep_strings=not name.startswith(NAMES_DEVICES))
        stray += [f"{name}: {found[0]}" for found in CUDA_WORD.finditer(text)]
    return stray


def device_text(root: Path) -> dict[Path, str]:
    """Text that is compiled for a device or for one instruction set, without its host parts: the function files, the
    units of primitives/cpu/isa, and all that they include."""
    reached: dict[Path, str] = {}
    waiting = files(root, "src/functions", {".hpp"}) + files(root, "src/primitives/cpu/isa", CPP)
    while waiting:
        path = waiting.pop()
        if path not in reached:
            reached[path] = without_host_part(path.read_text())
            waiting += [root / "src" / name for sign, name in includes(reached[path]) if sign == '"']
    return reached


def std_in_device_text(root: Path) -> list[str]:
    """Includes of system headers, and words of std, in device text."""
    wrong = []
    for path, text in device_text(root).items():
        name = path.relative_to(root)
        wrong += [f"{name} includes <{header}>" for sign, header in includes(text) if sign == "<"]
        wrong += [
            f"{name} says {word}" for word in re.findall(r"\bstd::\w+", without_comments(text, keep_strings=False))
        ]
    return wrong


def test_includes_go_one_way() -> None:
    assert wrong_includes(ROOT) == []
    assert {path.name for path in (ROOT / "src").iterdir() if path.is_dir()} <= set(STRATA)


def test_words_of_cuda_stay_in_their_folders() -> None:
    assert stray_cuda_words(ROOT) == []


def test_device_text_is_free_of_std() -> None:
    assert std_in_device_text(ROOT) == []
    assert len(device_text(ROOT)) > 30


@pytest.mark.parametrize(
    ("file", "line", "found"),
    [
        ("src/columns/a.hpp", '#include "plan/node.hpp"', True),
        ("src/primitives/cpu/isa/a.cpp", '#include "execute/context.hpp"', True),
        ("src/base/a.hpp", "# include <columns/column.hpp>", True),
        ("src/engine/a.cpp", '#include "registry.hpp"', True),
        ("src/primitives/cuda/other.cu", '#include "device_functions.inc"', True),
        ("src/primitives/cuda/device.cu", '#include "operators/join/join.hpp"', True),
        ("src/primitives/cuda/totals.cu", '#include "device_functions.hpp"', False),
        ("src/plan/a.hpp", '#include "columns/column.hpp"', False),
        ("src/plan/a.hpp", "#include <vector>", False),
    ],
)
def test_a_planted_include_is_found(tmp_path: Path, file: str, line: str, found: bool) -> None:
    assert bool(wrong_includes(plant(tmp_path, {file: line}))) is found


@pytest.mark.parametrize(
    ("file", "line", "found"),
    [
        ("src/memory/pool.cpp", "cudaMalloc(&p, n);", True),
        ("src/execute/a.hpp", '#include "memory/cuda/pool.hpp"', True),
        ("src/execute/a.cpp", 'if (device == "cuda") {}', True),
        ("src/functions/a/b.hpp", "#ifdef __CUDACC__", True),
        ("src/primitives/cpu/a.hpp", "__device__ void f();", True),
        ("src/engine/a.cpp", 'if (device == "cuda") {}', False),
        ("src/memory/cuda/pool.cpp", "cudaMalloc(&p, n);", False),
        ("src/memory/pool.cpp", "// not cudaMalloc", False),
        ("src/base/target.hpp", "#ifdef __CUDACC__", False),
    ],
)
def test_a_planted_word_of_cuda_is_found(tmp_path: Path, file: str, line: str, found: bool) -> None:
    assert bool(stray_cuda_words(plant(tmp_path, {file: line}))) is found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#include <vector>\n", True),
        ("int a = std::max(1, 2);\n", True),
        ('#include "base/behind.hpp"\n', True),
        ("#ifdef FZ_HOST\n#include <vector>\nstd::vector<int> v;\n#endif\n", False),
    ],
)
def test_std_planted_into_device_text_is_found(tmp_path: Path, text: str, found: bool) -> None:
    plant(tmp_path, {"src/functions/a/b.hpp": text, "src/base/behind.hpp": "#include <string>\n"})
    assert bool(std_in_device_text(tmp_path)) is found
