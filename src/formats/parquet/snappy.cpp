#include "formats/parquet/snappy.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/target.hpp"

namespace frazil::formats {

namespace {

// The low bits of a tag. A copy's kind is also the number of bytes that its offset has behind the tag, but for the
// last.
enum Kind : uint8 { literal, near_copy, copy, far_copy };

typedef long long Block __attribute__((vector_size(16), aligned(1), may_alias));
constexpr int64 kBlock = sizeof(Block);

void copy_block(uint8* to, const uint8* from) {
  const Block block = *reinterpret_cast<const Block*>(from);
  *reinterpret_cast<Block*>(to) = block;
}

// What a tag of a copy says, so that its kind need not be asked: that cannot be predicted.
struct CopyTag {
  uint16 offset_mask;  // of the bytes behind the tag
  uint16 offset_high;
  uint16 length;  // kLong: not for the quick loop
};
constexpr uint16 kLong = kBlock + 1;

constexpr std::array<CopyTag, 256> kCopyTags = [] {
  std::array<CopyTag, 256> tags{};
  for (uint16 tag = 0; tag < 256; ++tag) {
    const auto length = static_cast<uint16>((tag >> 2) + 1);
    switch (tag & 3) {
      case near_copy:
        tags[tag] = {0xff, static_cast<uint16>(tag >> 5 << 8), static_cast<uint16>(4 + (tag >> 2 & 7))};
        break;
      case copy: tags[tag] = {0xffff, 0, length <= kBlock ? length : kLong}; break;
      default: tags[tag] = {0, 0, kLong};
    }
  }
  return tags;
}();

class Decompressor {
 public:
  Decompressor(std::span<const uint8_t> from, std::span<uint8_t> to)
      : in_(from.data()), in_end_(in_ + from.size()), begin_(to.data()), out_(begin_), out_end_(begin_ + to.size()) {}

  bool run() {
    while (in_ < in_end_) {
      run_short_pieces();
      if (in_ < in_end_ && !run_piece()) return false;
    }
    return out_ == out_end_;
  }

 private:
  // While there are literals of up to 4 bytes and copies of up to 16, each literal with the copy behind it. Whole words
  // are read and whole blocks written; what is too much of them is overwritten by the next piece.
  void run_short_pieces() {
    constexpr int64 kMost = 4;
    const uint8* in = in_;
    uint8* out = out_;
    while (in_end_ - in >= 8 && out_end_ - out >= kMost + kBlock) {
      uint64 word;
      std::memcpy(&word, in, 8);
      const uint8* at = in;
      uint8* to = out;
      if ((word & 3) == literal) {
        const uint64 length = (word >> 2 & 63) + 1;
        if (length > kMost) break;
        std::memcpy(out, in + 1, kMost);
        at += 1 + length;
        to += length;
        word >>= 8 * (1 + length);
      }
      const uint64 kind = word & 3;
      const CopyTag tag = kCopyTags[word & 0xff];
      const int64 offset = static_cast<int64>(word >> 8 & tag.offset_mask) + tag.offset_high;
      // Nothing of a copy's source is written by the copy itself.
      if ((tag.length > kBlock) | (offset < tag.length) | (offset > to - begin_)) [[unlikely]]
        break;
      copy_block(to, to - offset);
      in = at + 1 + kind;
      out = to + tag.length;
    }
    in_ = in;
    out_ = out;
  }

  // Any piece.
  bool run_piece() {
    const uint8 tag = *in_++;
    const int kind = tag & 3;
    int64 length = (tag >> 2) + 1;
    if (kind == literal) {
      if (length > 60) {
        if (!read_number(static_cast<int>(length - 60), length)) return false;
        ++length;
      }
      if (length > in_end_ - in_ || length > out_end_ - out_) return false;
      std::memcpy(out_, in_, static_cast<size_t>(length));
      in_ += length;
      out_ += length;
      return true;
    }
    int64 offset = 0;
    if (!read_number(kind == far_copy ? 4 : kind, offset)) return false;
    if (kind == near_copy) {
      length = 4 + (tag >> 2 & 7);
      offset += tag >> 5 << 8;
    }
    return repeat(offset, length);
  }

  bool read_number(int bytes, int64& number) {
    if (bytes > in_end_ - in_) return false;
    uint32 value = 0;
    std::memcpy(&value, in_, static_cast<size_t>(bytes));
    in_ += bytes;
    number = value;
    return true;
  }

  // The last `offset` bytes again, and again where that is less than the length.
  bool repeat(int64 offset, int64 length) {
    if (offset == 0 || offset > out_ - begin_ || length > out_end_ - out_) return false;
    uint8* to = out_;
    out_ += length;
    const bool has_room = out_end_ - out_ >= kBlock;
    // The bytes that are repeated may be few: then a block of them first, of whole periods, which is repeated further.
    if (!has_room || offset < kBlock) {
      const int64 bytes = has_room ? kBlock : length;
      for (int64 k = 0; k < bytes; ++k) to[k] = to[k - offset];
      if (!has_room) return true;
      offset = kBlock - kBlock % offset;
      to += offset;
    }
    const int64 step = std::min(offset, kBlock);
    for (; to < out_; to += step) copy_block(to, to - offset);
    return true;
  }

  const uint8* in_;
  const uint8* in_end_;
  uint8* begin_;
  uint8* out_;
  uint8* out_end_;
};

// The size in front: 7 bits a byte, 32 in all. Gives where it ends, 0 if it does not.
size_t read_size(std::span<const uint8_t> from, uint64& size) {
  size = 0;
  for (size_t i = 0; i < std::min<size_t>(from.size(), 5); ++i) {
    size |= static_cast<uint64>(from[i] & 0x7f) << (7 * i);
    if (from[i] < 0x80) return size >> 32 ? 0 : i + 1;
  }
  return 0;
}

}  // namespace

std::optional<int64_t> snappy_bytes(std::span<const uint8_t> from) {
  uint64 size;
  if (read_size(from, size) == 0) return std::nullopt;
  return static_cast<int64_t>(size);
}

bool snappy_decompress(std::span<const uint8_t> from, std::span<uint8_t> to) {
  uint64 size;
  const size_t front = read_size(from, size);
  return front > 0 && size == to.size() && Decompressor(from.subspan(front), to).run();
}

}  // namespace frazil::formats
