#include "formats/parquet/codec.hpp"

#include <zstd.h>

#include <cstring>

#include "base/error.hpp"
#include "formats/parquet/snappy.hpp"

namespace frazil::formats {

namespace {

void require(bool condition) {
  if (!condition) [[unlikely]]
    fail(ErrorKind::compute, "Parquet: a compressed page is damaged");
}

// A decompressor is costly to make, so each thread keeps one.
ZSTD_DCtx* zstd_context() {
  struct Owner {
    ZSTD_DCtx* context = ZSTD_createDCtx();
    ~Owner() { ZSTD_freeDCtx(context); }
  };
  thread_local Owner owner;
  return owner.context;
}

// The most that a byte of Snappy's or Zstd's formats can stand for: a copy of 64 bytes takes two bytes or more, and a
// repeated block of 128 KiB four.
constexpr int64_t kSnappyGrowth = 64, kZstdGrowth = 32 << 10;

}  // namespace

std::string_view name_of(Codec codec) {
  constexpr std::string_view kNames[] = {"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"};
  return kNames[static_cast<int>(codec)];
}

bool is_supported(Codec codec) { return codec == Codec::none || codec == Codec::snappy || codec == Codec::zstd; }

void check_size(Codec codec, std::span<const uint8_t> from, int64_t bytes) {
  const auto size = static_cast<int64_t>(from.size());
  switch (codec) {
    case Codec::none: require(size == bytes); return;
    case Codec::snappy: require(snappy_bytes(from) == bytes && bytes <= size * kSnappyGrowth); return;
    case Codec::zstd: {
      const unsigned long long told = ZSTD_getFrameContentSize(from.data(), from.size());
      require(told != ZSTD_CONTENTSIZE_ERROR && bytes <= size * kZstdGrowth);
      return;
    }
    default: fail(ErrorKind::compute, "Parquet: the codec " + std::string(name_of(codec)) + " is not supported yet");
  }
}

void decompress(Codec codec, std::span<const uint8_t> from, std::span<uint8_t> to) {
  check_size(codec, from, static_cast<int64_t>(to.size()));
  if (codec == Codec::snappy) {
    require(snappy_decompress(from, to));
  } else if (codec == Codec::zstd) {
    require(ZSTD_decompressDCtx(zstd_context(), to.data(), to.size(), from.data(), from.size()) == to.size());
  } else {
    std::memcpy(to.data(), from.data(), to.size());
  }
}

}  // namespace frazil::formats
