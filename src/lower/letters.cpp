#include "lower/letters.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/target.hpp"

namespace frazil::lower {
namespace {

// Characters from one up to another, every so many of them, that are so far from what they become.
struct CaseRun {
  uint32 first, last, step;
  int32 difference;
};
// A character that becomes several; zeros are none.
struct CaseText {
  uint32 code;
  uint32 to[3];
};
#include "lower/case_tables.inc"

constexpr uint32 kCapitalSigma = 0x3a3, kSigma = 0x3c3, kFinalSigma = 0x3c2;

const CaseRun* find_run(std::span<const CaseRun> runs, uint32 code) {
  auto run = std::upper_bound(runs.begin(), runs.end(), code, [](uint32 c, const CaseRun& r) { return c < r.first; });
  // Runs of every second character may lie between each other's.
  for (int back = 0; back < 2 && run != runs.begin(); ++back) {
    --run;
    if (code <= run->last && (code - run->first) % run->step == 0) return &*run;
  }
  return nullptr;
}

struct Character {
  uint32 code;
  size_t bytes;
};

Character character_at(std::string_view text, size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {first, 1};
  const size_t bytes = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  uint32 code = first & (0xffu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3fu);
  return {code, bytes};
}
size_t before(std::string_view text, size_t at) {
  do --at;
  while ((static_cast<unsigned char>(text[at]) & 0xc0) == 0x80);
  return at;
}

void append(std::string& out, uint32 code) {
  auto rest = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    rest(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    rest(6);
    rest(0);
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
}

bool is_cased(uint32 code) { return find_run(kCased, code) != nullptr; }
bool is_ignored(uint32 code) { return find_run(kIgnored, code) != nullptr; }

// Whether a capital sigma ends a word: behind a letter that has a case, and not before one.
bool ends_word(std::string_view text, size_t at) {
  bool follows = false;
  for (size_t back = at; back > 0 && !follows;) {
    back = before(text, back);
    const uint32 code = character_at(text, back).code;
    if (is_ignored(code)) continue;
    if (!is_cased(code)) return false;
    follows = true;
  }
  if (!follows) return false;
  for (at += 2; at < text.size();) {
    const Character next = character_at(text, at);
    if (!is_ignored(next.code)) return !is_cased(next.code);
    at += next.bytes;
  }
  return true;
}

std::string change(std::string_view text, std::span<const CaseRun> runs, std::span<const CaseText> texts, char first) {
  const bool lowers = first == 'A';
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (character.bytes == 1) {
      const char c = text[at];
      out += c >= first && c < first + 26 ? static_cast<char>(c ^ 0x20) : c;
    } else if (lowers && character.code == kCapitalSigma) {
      append(out, ends_word(text, at) ? kFinalSigma : kSigma);
    } else if (const CaseRun* run = find_run(runs, character.code)) {
      append(out, character.code + static_cast<uint32>(run->difference));
    } else {
      const auto found = std::lower_bound(texts.begin(), texts.end(), character.code,
                                          [](const CaseText& one, uint32 code) { return one.code < code; });
      if (found != texts.end() && found->code == character.code) {
        for (const uint32 code : found->to) {
          if (code != 0) append(out, code);
        }
      } else {
        out.append(text.substr(at, character.bytes));
      }
    }
    at += character.bytes;
  }
  return out;
}

}  // namespace

std::string to_lowercase(std::string_view text) { return change(text, kLower, kLowerTexts, 'A'); }
std::string to_uppercase(std::string_view text) { return change(text, kUpper, kUpperTexts, 'a'); }

}  // namespace frazil::lower
