// Parquet's hybrid of repeated values and bit-packed ones: dictionary codes, levels and truths.
#pragma once

#include <span>

#include "base/export.hpp"
#include "base/target.hpp"
#include "columns/bits.hpp"
#include "formats/parquet/kernels.hpp"

namespace frazil::formats {

struct Run {
  int64 count = 0;  // at most as many as were left
  const uint8* packed = nullptr;
  uint32 value = 0;  // where nothing is packed
};

// The runs of `count` values, checked against their bytes. Behind those lie memory::kPadding readable ones.
class FRAZIL_API RunReader {
 public:
  RunReader(std::span<const uint8_t> bytes, int bits, int64 count);
  // The next run that is not empty; false when all values were seen. Throws compute if the bytes end before.
  bool next(Run& run);

 private:
  const uint8* at_;
  const uint8* end_;
  int bits_;
  int64 left_;
};

constexpr int64 kCodeBlock = 2048;  // codes that are unpacked at a time: 8 KiB

// Throws compute: the codes of a page.
[[noreturn]] FRAZIL_API void fail_codes();

// Calls visit(codes, count) for packed codes in blocks and repeat(code, count) for repeated ones. All codes were found
// to be below `limit`; otherwise throws compute.
template <class Visit, class Repeat>
void for_each_code(std::span<const uint8_t> bytes, int bits, int64 count, uint32 limit, Visit visit, Repeat repeat) {
  const Kernels& loops = kernels();
  RunReader reader(bytes, bits, count);
  uint32 codes[kCodeBlock];
  for (Run run; reader.next(run);) {
    if (!run.packed) {
      if (run.value >= limit) fail_codes();
      repeat(run.value, run.count);
      continue;
    }
    for (int64 done = 0; done < run.count; done += kCodeBlock) {
      const int64 block = run.count - done < kCodeBlock ? run.count - done : kCodeBlock;
      loops.unpack(run.packed + done / 8 * bits, (block + 7) / 8, bits, codes);
      if (loops.largest(codes, block) >= limit) fail_codes();
      visit(codes, block);
    }
  }
}

// Appends `count` bits; gives how many of them are set. Levels above 1 throw compute.
FRAZIL_API int64 read_bits(std::span<const uint8_t> bytes, int64 count, columns::BitAppender& to);

// `count` codes below `limit`, unpacked; otherwise throws compute.
FRAZIL_API void read_codes(std::span<const uint8_t> bytes, int bits, int64 count, uint32 limit, uint32* to);

}  // namespace frazil::formats
