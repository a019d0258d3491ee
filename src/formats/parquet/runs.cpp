#include "formats/parquet/runs.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace frazil::formats {

namespace {

void require(bool condition) {
  if (!condition) [[unlikely]]
    fail(ErrorKind::compute, "Parquet: the runs of a page are damaged");
}

}  // namespace

void fail_codes() { fail(ErrorKind::compute, "Parquet: a page has codes that its dictionary does not have"); }

RunReader::RunReader(std::span<const uint8_t> bytes, int bits, int64 count)
    : at_(bytes.data()), end_(at_ + bytes.size()), bits_(bits), left_(count) {
  require(bits >= 0 && bits <= 32);
}

bool RunReader::next(Run& run) {
  for (run.count = 0; run.count == 0;) {
    if (left_ == 0) return false;
    uint64 header = 0;
    for (int shift = 0;; shift += 7) {
      require(at_ < end_ && shift < 35);
      header |= static_cast<uint64>(*at_ & 0x7f) << shift;
      if (*at_++ < 0x80) break;
    }
    const bool is_packed = header & 1;
    const auto told = static_cast<int64>(header >> 1) * (is_packed ? 8 : 1);
    run.count = std::min(told, left_);
    run.packed = nullptr;
    run.value = 0;
    if (is_packed && bits_ > 0) {
      // The last group of a page may be cut after the values that it has.
      require((run.count * bits_ + 7) / 8 <= end_ - at_);
      run.packed = at_;
      at_ += std::min<int64>(told / 8 * bits_, end_ - at_);
    } else if (!is_packed) {
      const int bytes = (bits_ + 7) / 8;
      require(bytes <= end_ - at_);
      for (int b = 0; b < bytes; ++b) run.value |= static_cast<uint32>(*at_++) << (8 * b);
    }
  }
  left_ -= run.count;
  return true;
}

int64 read_bits(std::span<const uint8_t> bytes, int64 count, columns::BitAppender& to) {
  int64 ones = 0;
  RunReader reader(bytes, 1, count);
  for (Run run; reader.next(run);) {
    if (run.packed) {
      to.append_all(run.packed, 0, run.count);
      ones += columns::count_ones(run.packed, 0, run.count);
    } else {
      require(run.value <= 1);
      to.append_repeated(run.value == 1, run.count);
      ones += run.value ? run.count : 0;
    }
  }
  return ones;
}

void read_codes(std::span<const uint8_t> bytes, int bits, int64 count, uint32 limit, uint32* to) {
  for_each_code(
      bytes, bits, count, limit,
      [&](const uint32* codes, int64 rows) {
        std::copy(codes, codes + rows, to);
        to += rows;
      },
      [&](uint32 code, int64 rows) {
        std::fill(to, to + rows, code);
        to += rows;
      });
}

}  // namespace frazil::formats
