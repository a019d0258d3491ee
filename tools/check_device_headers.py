"""Compiles the text that CPU and GPU share: each header alone by g++ without its host part, and all of them with every
kernel of every function by g++, nvcc and NVRTC. A compiler that is not there is skipped, and said to be."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from ctypes.util import find_library
from pathlib import Path
from tempfile import TemporaryDirectory

from function_files import function_files

ROOT = Path(__file__).resolve().parent.parent
ARCHITECTURE = "sm_90"
LOG_LINES = 40
SHARED = ["base/target.hpp", "program/type.hpp", "program/instruction.hpp", "plan/signature.hpp"]
TYPES = {
    "i32": "int32", "i64": "int64", "u64": "uint64", "i128": "int128", "f32": "float", "f64": "double",
    "view": "program::RegisterView",
}  # fmt: skip

# Calls `apply` of each map for each type that it has a kernel for, and the text of functions of the shapes view and
# string.
EVERY_KERNEL = """
namespace frazil::functions {
template <class F, class... Arguments>
FZ_HD auto apply(bool& bad, Arguments... arguments) {
  if constexpr (F::info.may_fail) return F::apply(arguments..., bad);
  else return F::apply(arguments...);
}
template <class F, program::Type type, class T>
FZ_HD void call(const void* from, void* to) {
  if constexpr ((F::info.kernels & plan::set_of(type)) != 0) {
    constexpr int n = F::info.arguments + F::info.parameters;
    const T* x = static_cast<const T*>(from);
    bool bad = false;
    if constexpr (n == 1) {
      *static_cast<decltype(apply<F>(bad, x[0]))*>(to) = apply<F>(bad, x[0]);
    } else if constexpr (n == 2) {
      *static_cast<decltype(apply<F>(bad, x[0], x[1]))*>(to) = apply<F>(bad, x[0], x[1]);
    } else {
      *static_cast<decltype(apply<F>(bad, x[0], x[1], x[2]))*>(to) = apply<F>(bad, x[0], x[1], x[2]);
    }
    static_cast<bool*>(to)[16] = bad;
  }
}
template <class F>
FZ_HD void call_all(const void* from, void* to) {
%(calls)s
}
struct Row {
  const RegisterView* texts;
  FZ_HD int size() const { return 3; }
  FZ_HD const RegisterView& text(int k) const { return texts[k]; }
  FZ_HD int128 whole(int k) const { return texts[k].length; }
  FZ_HD bool valid(int k) const { return texts[k].length > 0; }
};
template <class F>
FZ_HD void call_view(const void* from, void* to) {
  const Row row{static_cast<const RegisterView*>(from)};
  *static_cast<decltype(F::apply(row))*>(to) = F::apply(row);
}
template <class F>
FZ_HD void call_string(const void* from, void* to) {
  const Row row{static_cast<const RegisterView*>(from)};
  F::write(row, static_cast<char*>(to) + F::bytes(row));
}
}  // namespace frazil::functions
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
extern "C" __global__
#endif
void every_kernel(const void* from, void* to) {
%(functions)s
}
"""


def shared_headers() -> list[str]:
    """The headers, as they are included; those that belong to the CPU's loops are not among them."""
    functions = sorted(str(path.relative_to(ROOT / "src")) for path in ROOT.glob("src/functions/*/*.hpp"))
    return [*SHARED, "functions/function.hpp", *functions]


def every_kernel() -> str:
    """One unit of all headers that instantiates every kernel."""
    calls = "\n".join(f"  call<F, program::Type::{type}, {native}>(from, to);" for type, native in TYPES.items())
    callers = {"map": "call_all", "view": "call_view", "string": "call_string"}
    functions = "\n".join(
        f"  frazil::functions::{callers[function.shape]}<frazil::functions::{function.struct}>(from, to);"
        for function in function_files(ROOT)
        if function.shape in callers and function.has_loop
    )
    includes = "".join(f'#include "{header}"\n' for header in shared_headers())
    return includes + EVERY_KERNEL % {"calls": calls, "functions": functions}


def run_gpp(folder: Path) -> str | None:
    """Compile each header alone, then the unit; None, since g++ is always there."""
    command = ["g++", "-std=gnu++20", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-fsyntax-only", "-Isrc"]
    for header in shared_headers():
        subprocess.run([*command, "-include", header, "-x", "c++", os.devnull], cwd=ROOT, check=True)
    subprocess.run([*command, str(folder / "every_kernel.cpp")], cwd=ROOT, check=True)
    return None


def nvcc() -> str | None:
    """The compiler of a toolkit, or of NVIDIA's wheels."""
    wheels = Path(sys.prefix, "lib", f"python3.{sys.version_info.minor}", "site-packages/nvidia/cu13/bin")
    places = os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/cuda/bin", str(wheels)])
    return shutil.which("nvcc", path=places)


def run_nvcc(folder: Path) -> str | None:
    """Compile the unit; the reason if it was skipped."""
    compiler = nvcc()
    if compiler is None:
        return "there is no nvcc"
    flags = ["-x", "cu", "-std=c++20", "--Werror=cross-execution-space-call", f"-arch={ARCHITECTURE}", "-Isrc"]
    output = ["-cubin", "-o", str(folder / "every_kernel.cubin")]
    subprocess.run([compiler, *flags, *output, str(folder / "every_kernel.cpp")], cwd=ROOT, check=True)
    return None


def nvrtc() -> ctypes.CDLL | None:
    """NVRTC of the system, beside nvcc, or of NVIDIA's wheels."""
    compiler = nvcc()
    beside = sorted(Path(compiler).resolve().parent.parent.glob("lib*/libnvrtc.so.*")) if compiler else []
    for name in [find_library("nvrtc"), *map(str, beside)]:
        if name is not None:
            try:
                return ctypes.CDLL(name)
            except OSError:
                continue
    return None


def run_nvrtc(folder: Path) -> str | None:
    """Compile the unit; the reason if it was skipped."""
    library = nvrtc()
    if library is None:
        return "there is no libnvrtc"
    program = ctypes.c_void_p()
    text = (folder / "every_kernel.cpp").read_bytes()
    options = ["--std=c++20", "--device-int128", f"--gpu-architecture={ARCHITECTURE}", f"--include-path={ROOT / 'src'}"]
    given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    created = library.nvrtcCreateProgram(ctypes.byref(program), text, b"every_kernel.cu", 0, None, None)
    compiled = created or library.nvrtcCompileProgram(program, len(options), given)
    if compiled:
        size = ctypes.c_size_t()
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(max(size.value, 1))
        library.nvrtcGetProgramLog(program, log)
        first = "\n".join(log.value.decode().splitlines()[:LOG_LINES])
        sys.exit(f"NVRTC: error {compiled}\n{first}")
    return None


COMPILERS: dict[str, Callable[[Path], str | None]] = {"g++": run_gpp, "nvcc": run_nvcc, "NVRTC": run_nvrtc}


def main() -> None:
    """Run all compilers; an error ends it."""
    with TemporaryDirectory() as folder:
        Path(folder, "every_kernel.cpp").write_text(every_kernel())
        for name, compile_all in COMPILERS.items():
            skipped = compile_all(Path(folder))
            print(f"{name}: SKIPPED, {skipped}" if skipped else f"{name}: {len(shared_headers())} headers", flush=True)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"failed: {' '.join(error.cmd)}")
