// Text of both kernels_*.cpp, which choose the instruction set and the name. No function of std is called, so that
// none of a newer instruction set can become the copy that all share.

namespace frazil::formats {
namespace {

typedef uint32 LooseU32 __attribute__((aligned(1), may_alias));
typedef uint64 LooseU64 __attribute__((aligned(1), may_alias));

// --- bit-packed values
// ------------------------------------------------------------------------------------------------

template <int BITS>
constexpr uint32 kMask = BITS == 32 ? ~0u : (1u << BITS) - 1;

template <int BITS, int... J>
inline __attribute__((always_inline)) void unpack_each(const uint8* from, uint32* to,
                                                       std::integer_sequence<int, J...>) {
  if constexpr (BITS <= 25) {
    ((to[J] = *reinterpret_cast<const LooseU32*>(from + J * BITS / 8) >> (J * BITS % 8) & kMask<BITS>), ...);
  } else {
    ((to[J] =
          static_cast<uint32>(*reinterpret_cast<const LooseU64*>(from + J * BITS / 8) >> (J * BITS % 8)) & kMask<BITS>),
     ...);
  }
}

#ifdef __AVX2__
// Four values lie within 16 bytes: their bytes are brought into their lanes, then shifted down.
template <int BITS>
struct Lanes {
  alignas(32) uint8 bytes[32];
  alignas(32) uint32 shifts[8];
  constexpr Lanes() : bytes(), shifts() {
    for (int j = 0; j < 8; ++j) {
      const int bit = j < 4 ? j * BITS : j * BITS - 8 * (BITS / 2);
      for (int b = 0; b < 4; ++b) bytes[4 * j + b] = static_cast<uint8>(bit / 8 + b);
      shifts[j] = static_cast<uint32>(bit % 8);
    }
  }
};

template <int BITS>
inline __attribute__((always_inline)) void unpack_8(const uint8* from, uint32* to) {
  if constexpr (BITS > 25) {
    unpack_each<BITS>(from, to, std::make_integer_sequence<int, 8>());
  } else {
    static constexpr Lanes<BITS> lanes;
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + BITS / 2));
    const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
    const __m256i spread = _mm256_shuffle_epi8(both, *reinterpret_cast<const __m256i*>(lanes.bytes));
    const __m256i shifted = _mm256_srlv_epi32(spread, *reinterpret_cast<const __m256i*>(lanes.shifts));
    const __m256i values = _mm256_and_si256(shifted, _mm256_set1_epi32(static_cast<int>(kMask<BITS>)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), values);
  }
}
#else
template <int BITS>
inline __attribute__((always_inline)) void unpack_8(const uint8* from, uint32* to) {
  unpack_each<BITS>(from, to, std::make_integer_sequence<int, 8>());
}
#endif

template <int BITS>
void unpack_bits(const uint8* from, int64 groups, uint32* to) {
#pragma GCC unroll 4
  for (int64 g = 0; g < groups; ++g) unpack_8<BITS>(from + g * BITS, to + g * 8);
}

using Unpack = void (*)(const uint8*, int64, uint32*);
template <int... BITS>
void unpack_in(std::integer_sequence<int, BITS...>, const uint8* from, int64 groups, int bits, uint32* to) {
  static constexpr Unpack kByBits[] = {unpack_bits<BITS + 1>...};
  kByBits[bits - 1](from, groups, to);
}

void unpack(const uint8* from, int64 groups, int bits, uint32* to) {
  unpack_in(std::make_integer_sequence<int, 32>(), from, groups, bits, to);
}

// --- dictionaries
// -----------------------------------------------------------------------------------------------------

uint32 largest(const uint32* codes, int64 count) {
  uint32 most = 0;
  for (int64 i = 0; i < count; ++i) most = codes[i] > most ? codes[i] : most;
  return most;
}

template <class T>
void gather(const uint32* codes, int64 count, const void* values, void* to) {
  const T* from = static_cast<const T*>(values);
  T* out = static_cast<T*>(to);
  for (int64 i = 0; i < count; ++i) out[i] = from[codes[i]];
}

// --- numbers
// ----------------------------------------------------------------------------------------------------------

// Unsigned arithmetic wraps, so one comparison with the width of the interval tests both of its ends.
template <class From, class To>
bool narrow(const void* from, int64 count, uint64 base, uint64 low, uint64 high, void* to) {
  typedef From Loose __attribute__((aligned(1), may_alias));
  const Loose* values = static_cast<const Loose*>(from);
  To* out = static_cast<To*>(to);
  const From first = static_cast<From>(low), shift = static_cast<From>(base);
  From most = 0;
  for (int64 i = 0; i < count; ++i) {
    const From value = values[i];
    const From above = static_cast<From>(value - first);
    most = above > most ? above : most;
    out[i] = static_cast<To>(value - shift);
  }
  return most <= static_cast<From>(high - low);
}

bool is_ascii(const uint8* bytes, int64 count) {
  uint8 all = 0;
  for (int64 i = 0; i < count; ++i) all |= bytes[i];
  return all < 0x80;
}

}  // namespace

extern const Kernels FZ_KERNELS;
const Kernels FZ_KERNELS = {
    unpack,
    largest,
    {gather<uint8>, gather<uint16>, gather<uint32>, gather<uint64>, gather<uint128>},
    {{narrow<uint32, uint8>, narrow<uint32, uint16>, narrow<uint32, uint32>, nullptr},
     {narrow<uint64, uint8>, narrow<uint64, uint16>, narrow<uint64, uint32>, narrow<uint64, uint64>}},
    is_ascii,
};

}  // namespace frazil::formats
