#!/usr/bin/env bash
# lint.sh BUILD BASE: what ./run lint checks. BUILD has the compile commands and the installed package; clang-tidy reads
# what changed since the commit BASE, or everything if it is "all".
set -euo pipefail
build=$1 base=$2
git rev-parse -q --verify "$base^{commit}" >/dev/null || base=all

mapfile -t sources < <(git ls-files '*.cpp' '*.hpp' '*.cu' '*.cuh')
if ! found=$(clang-format --dry-run -Werror "${sources[@]}" 2>&1); then
  grep -oE '^[^ :]+:[0-9]+' <<< "$found" | sort -u -t: -k1,1 || echo "$found" >&2
  echo 'the files above are not formatted: clang-format -i FILE' >&2
  exit 1
fi
echo "clang-format: ${#sources[@]} files"

if [ "$base" = all ]; then mapfile -t changed < <(git ls-files 'src/*.cpp' 'python/bind/*.cpp' 'tests/cpp/*.cpp')
else mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" -- 'src/*.[ch]pp' 'python/bind/*.[ch]pp' 'tests/cpp/*.[ch]pp'); fi
units=()
for file in "${changed[@]}"; do
  case $file in
    */cuda/* | */isa/*) ;;  # compiled by other commands than those of the build
    *.cpp) units+=("$file") ;;
    *) mapfile -t -O "${#units[@]}" units < <(git grep -lF "#include \"${file#src/}\"" -- 'src/*.cpp' 'tests/cpp/*.cpp' | grep -v /isa/ | head -1) ;;
  esac
done
mapfile -t units < <(printf '%s\n' "${units[@]}" | sort -u | sed '/^$/d')
if [ ${#units[@]} -gt 0 ]; then printf '%s\n' "${units[@]}" | xargs -P 2 -n 1 clang-tidy -p "$build" --quiet --warnings-as-errors='*' 2> >(grep -v ' generated' >&2); fi
echo "clang-tidy: ${#units[@]} units"

mapfile -t scripts < <(git ls-files '*.py' '*.pyi')
ruff check --quiet "${scripts[@]}"
ruff format --check --quiet "${scripts[@]}"
echo "ruff: ${#scripts[@]} files"
export MYPYPATH=$build/site
mypy -p frazil
mypy tools benchmarks
