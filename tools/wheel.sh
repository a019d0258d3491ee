#!/usr/bin/env bash
# wheel.sh: build the wheel into dist/ and prove it: the tag, the size, the stable ABI, and the demo in an environment that has
# nothing but the wheel and what it asks for.
set -euo pipefail
tag=manylinux_2_34_x86_64 megabytes=15
[ "${FRAZIL_CUDA:-OFF}" = ON ] && megabytes=40
fail() { printf 'wheel: %s\n' "$*" >&2; exit 1; }

rm -rf build/wheel dist
python -m pip wheel -q --no-deps --no-build-isolation --wheel-dir build/wheel/raw \
  --config-settings=cmake.define.FRAZIL_CUDA="${FRAZIL_CUDA:-OFF}" .
auditwheel repair --exclude libcuda.so.1 --wheel-dir dist build/wheel/raw/*.whl
wheel=$(echo dist/*.whl)
abi3audit --strict "$wheel"
case $wheel in *-cp311-abi3-*"$tag"*.whl) ;; *) fail "$wheel is not for cp311-abi3 and $tag" ;; esac
bytes=$(stat -c %s "$wheel")
[ "$bytes" -le $((megabytes * 1000000)) ] || fail "$wheel has $bytes bytes, more than $megabytes MB"
echo "$wheel: $bytes bytes"

python3 -m venv build/wheel/venv
build/wheel/venv/bin/pip install -q --disable-pip-version-check "$wheel[demo]"
clean=(env -u LD_LIBRARY_PATH -u PYTHONPATH -u CPATH -u CMAKE_PREFIX_PATH -u VIRTUAL_ENV "$PWD/build/wheel/venv/bin/python" -P)
cd build/wheel
"${clean[@]}" - <<'PY'
import re
import frazil._frazil
mapped = set(re.findall(r"/\S+(?:zstd|re2|frazil)\S*\.so\S*", open("/proc/self/maps").read()))
foreign = [path for path in mapped if "/build/wheel/venv/" not in path]
assert len(mapped) >= 4 and not foreign, f"not from the wheel: {foreign}, of {mapped}"
PY
"${clean[@]}" -m frazil demo --scale 0.01 --data pdsh-0.01 --device cpu
