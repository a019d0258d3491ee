#include "lower/pattern.hpp"

#include <array>
#include <cctype>
#include <cstdint>

namespace frazil::lower {

namespace {

// What Unicode means by the classes of ASCII in RE2; without their brackets.
constexpr std::string_view kDigit = "\\p{Nd}";
constexpr std::string_view kSpace =
    "\\x{9}-\\x{D}\\x{20}\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}";
// Letters, marks, numbers that are letters, circled letters, digits, connectors, joiners.
constexpr std::string_view kWord =
    "\\p{L}\\p{M}\\p{Nl}\\p{Nd}\\p{Pc}\\x{200C}\\x{200D}\\x{24B6}-\\x{24E9}\\x{1F130}-\\x{1F149}\\x{1F150}-\\x{1F169}"
    "\\x{1F170}-\\x{1F189}";

constexpr std::array<std::string_view, 37> kCategories = {
    "L",  "Lu", "Ll", "Lt", "Lm", "Lo", "M",  "Mn", "Mc", "Me", "N",  "Nd", "Nl", "No", "P",  "Pc", "Pd", "Ps",   "Pe",
    "Pi", "Pf", "Po", "S",  "Sm", "Sc", "Sk", "So", "Z",  "Zs", "Zl", "Zp", "C",  "Cc", "Cf", "Co", "Cs", "Latin"};

class Printer {
 public:
  explicit Printer(std::string_view rust) : in_(rust) {}

  std::optional<std::string> print() {
    while (fine_ && at_ < in_.size()) item();
    if (!fine_ || depth_ != 0) return std::nullopt;
    return out_;
  }

 private:
  bool refuse() {
    fine_ = false;
    return false;
  }
  bool ends() const { return at_ >= in_.size(); }
  bool next_is(std::string_view text) const { return in_.substr(at_, text.size()) == text; }
  bool take(std::string_view text) {
    if (!next_is(text)) return false;
    at_ += text.size();
    return true;
  }
  // All up to a closing character, which is taken as well; nothing where it is missing.
  std::optional<std::string_view> up_to(char closing) {
    const size_t end = in_.find(closing, at_);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view text = in_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  // One thing of a pattern outside of brackets.
  void item() {
    const char c = in_[at_];
    switch (c) {
      case '\\': escape(false); break;
      case '[': set(); break;
      case '(': open(); break;
      case ')':
        if (--depth_ < 0) refuse();
        copy();
        break;
      case '*':
      case '+':
      case '?':
      case '{': repeat(); return;
      default: copy();
    }
    repeatable_ = c != '(' && c != '|';
  }
  void copy() { out_ += in_[at_++]; }

  // Groups: capturing, named, or with flags that RE2 has as well.
  void open() {
    ++at_;
    ++depth_;
    if (!take("?")) {
      out_ += "(?:";  // what is captured is not asked for
      return;
    }
    if (take("P<") || take("<")) {
      const auto name = up_to('>');
      if (!name || name->empty()) refuse();
      out_ += "(?:";
      return;
    }
    std::string flags;
    while (!ends() && (in_[at_] == 'i' || in_[at_] == 's' || in_[at_] == 'm' || in_[at_] == '-')) flags += in_[at_++];
    if (take(":")) {
      out_ += "(?" + flags + ":";
    } else if (!flags.empty() && flags.back() != '-' && take(")")) {
      out_ += "(?" + flags + ")";
      --depth_;
    } else {
      refuse();
    }
  }

  // Counts are at most 1000 in RE2. Repetitions of repetitions are left alone.
  void repeat() {
    if (!repeatable_) return static_cast<void>(refuse());
    repeatable_ = false;
    if (in_[at_] != '{') {
      copy();
    } else {
      ++at_;
      const auto count = up_to('}');
      if (!count || !is_count(*count)) return static_cast<void>(refuse());
      out_ += "{" + std::string(*count) + "}";
    }
    if (take("?")) out_ += '?';
  }
  static bool is_count(std::string_view text) {
    const size_t comma = text.find(',');
    const std::string_view low = text.substr(0, comma);
    const std::string_view high = comma == std::string_view::npos ? low : text.substr(comma + 1);
    return is_small(low) && (high.empty() || is_small(high));
  }
  static bool is_small(std::string_view digits) {
    if (digits.empty() || digits.size() > 3) return false;
    for (char digit : digits) {
      if (digit < '0' || digit > '9') return false;
    }
    return true;
  }

  // `in_set`: between brackets, where classes lose theirs.
  void escape(bool in_set) {
    ++at_;
    if (ends()) return static_cast<void>(refuse());
    const char c = in_[at_++];
    switch (c) {
      case 'd': return named(kDigit, false, in_set);
      case 'D': return named(kDigit, true, in_set);
      case 's': return named(kSpace, false, in_set);
      case 'S': return named(kSpace, true, in_set);
      case 'w': return named(kWord, false, in_set);
      case 'W': return named(kWord, true, in_set);
      case 'p':
      case 'P': return category(c);
      case 'x':
      case 'u':
      case 'U': return code_point(c);
      case 'n':
      case 't':
      case 'r':
      case 'f':
      case 'v':
      case 'a': out_ += {'\\', c}; return;
      case 'A':
      case 'z':
        if (in_set) return static_cast<void>(refuse());
        out_ += {'\\', c};
        return;
      default:
        // Letters and digits have meanings that are not known here: \b is one of Unicode, too.
        if (static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '<' ||
            c == '>') {
          return static_cast<void>(refuse());
        }
        out_ += {'\\', c};
    }
  }
  void named(std::string_view characters, bool other, bool in_set) {
    if (!in_set) {
      out_ += std::string(other ? "[^" : "[") + std::string(characters) + "]";
    } else if (other) {
      refuse();
    } else {
      out_ += characters;
    }
  }
  void category(char c) {
    std::string_view name;
    if (take("{")) {
      const auto given = up_to('}');
      if (!given) return static_cast<void>(refuse());
      name = *given;
    } else if (!ends()) {
      name = in_.substr(at_++, 1);
    }
    for (std::string_view known : kCategories) {
      if (name == known) {
        out_ += std::string("\\") + c + "{" + std::string(name) + "}";
        return;
      }
    }
    refuse();
  }
  void code_point(char c) {
    std::string_view digits;
    if (take("{")) {
      const auto given = up_to('}');
      if (!given) return static_cast<void>(refuse());
      digits = *given;
    } else {
      const size_t count = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      digits = in_.substr(at_, count);
      if (digits.size() != count) return static_cast<void>(refuse());
      at_ += count;
    }
    if (digits.empty() || digits.size() > 8) return static_cast<void>(refuse());
    for (char digit : digits) {
      if (std::isxdigit(static_cast<unsigned char>(digit)) == 0) return static_cast<void>(refuse());
    }
    out_ += "\\x{" + std::string(digits) + "}";
  }

  // Brackets: ranges, escapes and classes of ASCII. Sets in sets and their operators are Rust's own.
  void set() {
    out_ += '[';
    ++at_;
    if (take("^")) out_ += '^';
    if (take("]")) out_ += "\\]";
    while (fine_ && !ends() && in_[at_] != ']') {
      if (next_is("&&") || next_is("--") || next_is("~~")) return static_cast<void>(refuse());
      if (in_[at_] == '\\') {
        const bool is_class = at_ + 1 < in_.size() && std::string_view("dswpP").find(in_[at_ + 1]) < 5;
        escape(true);
        if (is_class && next_is("-") && !next_is("-]")) return static_cast<void>(refuse());  // no end of a range
      } else if (in_[at_] == '[') {
        const size_t end = in_.find(":]", at_);
        if (!next_is("[:") || end == std::string_view::npos) return static_cast<void>(refuse());
        out_ += in_.substr(at_, end + 2 - at_);
        at_ = end + 2;
      } else {
        copy();
      }
    }
    if (ends()) return static_cast<void>(refuse());
    copy();
  }

  std::string_view in_;
  size_t at_ = 0;
  std::string out_;
  int depth_ = 0;
  bool repeatable_ = false;
  bool fine_ = true;
};

}  // namespace

std::optional<std::string> re2_pattern(std::string_view rust) { return Printer(rust).print(); }

}  // namespace frazil::lower
