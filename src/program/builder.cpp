#include "program/builder.hpp"

#include <bit>
#include <cstring>
#include <limits>

#include "base/error.hpp"

namespace frazil::program {
namespace {

using columns::TypeId;

constexpr int128 power2(int n) { return static_cast<int128>(1) << n; }

Type type_of(Element element) {
  switch (element) {
    case Element::i8:
    case Element::i16:
    case Element::i32:
    case Element::u8:
    case Element::u16: return Type::i32;
    case Element::u32:
    case Element::i64: return Type::i64;
    case Element::u64: return Type::u64;
    case Element::i128: return Type::i128;
    case Element::u128: return Type::u128;
    case Element::f32: return Type::f32;
    case Element::f64: return Type::f64;
    case Element::view: return Type::view;
    case Element::bits: return Type::mask;
    case Element::none: break;
  }
  return Type::none;
}

std::optional<Interval> bounds_of(Element element) {
  switch (element) {
    case Element::i8: return Interval{-power2(7), power2(7) - 1};
    case Element::i16: return Interval{-power2(15), power2(15) - 1};
    case Element::i32: return Interval{-power2(31), power2(31) - 1};
    case Element::i64: return Interval{-power2(63), power2(63) - 1};
    case Element::u8: return Interval{0, power2(8) - 1};
    case Element::u16: return Interval{0, power2(16) - 1};
    case Element::u32: return Interval{0, power2(32) - 1};
    case Element::u64: return Interval{0, power2(64) - 1};
    default: return std::nullopt;
  }
}

std::optional<Interval> intersect(std::optional<Interval> a, const std::optional<Interval>& b) {
  if (!a) return b;
  if (!b) return a;
  return Interval{std::max(a->low, b->low), std::min(a->high, b->high)};
}

void put(std::string& key, const void* data, size_t bytes) { key.append(static_cast<const char*>(data), bytes); }
void put(std::string& key, const Operand& operand) {
  put(key, &operand.kind, sizeof operand.kind);
  put(key, &operand.index, sizeof operand.index);
}

// Everything that decides what an instruction computes; not where it puts it.
std::string key_of(const Instruction& i) {
  std::string key;
  for (auto field :
       {static_cast<int64>(i.op), static_cast<int64>(i.type), static_cast<int64>(i.from), static_cast<int64>(i.element),
        static_cast<int64>(i.function), static_cast<int64>(i.slot), static_cast<int64>(i.list), i.imm, i.imm2}) {
    put(key, &field, sizeof field);
  }
  for (const Operand& operand : {i.a, i.b, i.c, i.entry}) put(key, operand);
  return key;
}

}  // namespace

Builder::Builder(std::vector<SourceColumn> columns) { program_.columns = std::move(columns); }

Operand Builder::new_value(Type type) {
  FZ_CHECK(value_types_.size() < 60000);
  value_types_.push_back(type);
  return {Operand::value, static_cast<uint16>(value_types_.size() - 1)};
}

Operand Builder::append(Instruction instruction, Type result) {
  instruction.node = node_;
  if (result != Type::none) instruction.dst = new_value(result);
  program_.code.push_back(instruction);
  return instruction.dst;
}

Operand Builder::reuse_or_append(const Instruction& instruction, Type result) {
  auto [place, is_new] = known_.try_emplace(key_of(instruction));
  if (is_new) place->second = append(instruction, result);
  return place->second;
}

Value Builder::column(int index) {
  const SourceColumn& source = program_.columns[index];
  const Operand operand{Operand::column, static_cast<uint16>(index)};
  Value value;
  if (source.nullable)
    value.valid = reuse_or_append({.op = Op::load_valid, .type = Type::mask, .a = operand}, Type::mask);
  value.type = type_of(source.element);
  FZ_CHECK(value.type != Type::none);
  if (source.element == Element::bits) {
    value.operand = reuse_or_append({.op = Op::load_bits, .type = Type::mask, .a = operand}, Type::mask);
    return value;
  }
  Instruction load{.op = Op::load, .type = value.type, .element = source.element, .a = operand};
  if (is_whole(value.type)) {
    value.interval = bounds_of(source.element);
    if (source.encoding == columns::Encoding::narrow) {
      value.interval = Interval{value.interval->low + source.base, value.interval->high + source.base};
      value.interval = intersect(value.interval, source.interval);
      load.type = value.type = narrowest(value.interval, Type::i128);
      load.imm = static_cast<int64>(source.base);
      FZ_CHECK(load.imm == source.base);
    } else if (source.encoding == columns::Encoding::plain) {
      // Wide plain columns whose values are known to be small are cut when loaded.
      value.interval = intersect(value.interval, source.interval);
      if (value.type != Type::u128 && source.interval) load.type = value.type = narrowest(value.interval, value.type);
    }
  }
  value.operand = reuse_or_append(load, value.type);
  return value;
}

Type Builder::narrowest(const std::optional<Interval>& interval, Type widest) {
  if (interval) {
    if (interval->low >= -power2(31) && interval->high < power2(31)) return Type::i32;
    if (interval->low >= -power2(63) && interval->high < power2(63)) return Type::i64;
  }
  return widest;
}

// Equal literals are one, so that computations with them are found to be the same.
Operand Builder::literal(Literal literal) {
  auto& known = program_.literals;
  size_t at = 0;
  while (at < known.size() &&
         !(known[at].type == literal.type && known[at].bits == literal.bits && known[at].text == literal.text)) {
    ++at;
  }
  if (at == known.size()) known.push_back(std::move(literal));
  return {Operand::literal, static_cast<uint16>(at)};
}

Value Builder::whole(int128 value) {
  Interval interval{value, value};
  Type type = narrowest(interval, Type::i128);
  return {literal({type, value, {}}), type, kAll, interval};
}

Value Builder::real(double value, Type type) {
  Literal literal{type, 0, {}};
  float narrow = static_cast<float>(value);
  if (type == Type::f32) {
    std::memcpy(&literal.bits, &narrow, sizeof narrow);
  } else {
    std::memcpy(&literal.bits, &value, sizeof value);
  }
  return {this->literal(literal), type, kAll, std::nullopt};
}

Value Builder::text(std::string value) {
  return {literal({Type::view, 0, std::move(value)}), Type::view, kAll, std::nullopt};
}

Operand Builder::mask_literal(bool value) {
  if (value) return kAll;
  return reuse_or_append({.op = Op::mask_not, .type = Type::mask, .a = kAll}, Type::mask);
}

Value Builder::truth(bool value) { return {mask_literal(value), Type::mask, kAll, std::nullopt}; }

Value Builder::null(Type type) {
  Value value;
  if (type == Type::mask) {
    value = truth(false);
  } else if (type == Type::view) {
    value = text("");
  } else if (is_float(type)) {
    value = real(0, type);
  } else {
    value = convert(whole(0), type);
  }
  value.valid = mask_literal(false);
  return value;
}

Value Builder::convert(const Value& value, Type type) {
  if (value.type == type) return value;
  Value result{{}, type, value.valid, value.interval};
  if (value.is_literal()) {
    const Literal literal = program_.literals[value.operand.index];
    if (is_whole(literal.type) && is_float(type)) {
      Value real_value = real(static_cast<double>(literal.bits), type);
      real_value.valid = value.valid;
      return real_value;
    }
    if (is_whole(literal.type) && is_whole(type)) {
      result.operand = this->literal({type, literal.bits, {}});
      return result;
    }
  }
  if (is_float(type)) result.interval.reset();
  result.operand = reuse_or_append({.op = Op::convert, .type = type, .from = value.type, .a = value.operand}, type);
  return result;
}

Value Builder::wrap(const Value& value, Element element, const Interval& bounds) {
  if (value.interval && value.interval->low >= bounds.low && value.interval->high <= bounds.high) return value;
  Type type = narrowest(bounds, element == Element::u64 ? Type::u64 : value.type);
  Operand from = value.operand;
  if (value.is_literal()) {  // its loop reads rows
    from = reuse_or_append({.op = Op::convert, .type = value.type, .from = value.type, .a = from}, value.type);
  }
  Operand operand =
      reuse_or_append({.op = Op::wrap, .type = type, .from = value.type, .element = element, .a = from}, type);
  return {operand, type, value.valid, bounds};
}

Value Builder::select(const Value& predicate, const Value& yes, const Value& no) {
  FZ_CHECK(yes.type == no.type);
  Operand chosen = mask_and(predicate.operand, predicate.valid);
  Value result{{}, yes.type, kAll, std::nullopt};
  if (yes.type == Type::mask) {
    result.operand = mask_or(mask_and(chosen, yes.operand), mask_and_not(no.operand, chosen));
  } else {
    result.operand =
        reuse_or_append({.op = Op::select, .type = yes.type, .a = yes.operand, .b = no.operand, .c = chosen}, yes.type);
  }
  if (yes.valid || no.valid) result.valid = mask_or(mask_and(chosen, yes.valid), mask_and_not(no.valid, chosen));
  if (yes.interval && no.interval) {
    result.interval =
        Interval{std::min(yes.interval->low, no.interval->low), std::max(yes.interval->high, no.interval->high)};
  }
  return result;
}

namespace {

// Puts the arguments into the instruction; the rows where none of them is null.
Operand set_arguments(Builder& builder, Instruction& instruction, const std::vector<Value>& arguments) {
  Operand* places[] = {&instruction.a, &instruction.b, &instruction.c};
  Operand valid = kAll;
  FZ_CHECK(arguments.size() <= 3);
  for (size_t i = 0; i < arguments.size(); ++i) {
    *places[i] = arguments[i].operand;
    valid = builder.mask_and(valid, arguments[i].valid);
  }
  return valid;
}

}  // namespace

Value Builder::map(uint16 function, Type type, Type result, std::vector<Value> arguments,
                   std::optional<Interval> interval) {
  Instruction instruction{.op = Op::map, .type = type, .function = function};
  const Operand valid = set_arguments(*this, instruction, arguments);
  return {reuse_or_append(instruction, result), result, valid, interval};
}

Value Builder::map_checked(uint16 function, Type type, std::vector<Value> arguments, std::optional<Interval> interval,
                           uint16 raises) {
  Instruction instruction{.op = Op::map, .type = type, .function = function};
  const Operand valid = set_arguments(*this, instruction, arguments);
  // Null rows hold anything, so they may not raise; kAll would mean every row of the tile.
  instruction.entry = mask_and(entry_, valid);
  instruction.imm = 1;
  instruction.imm2 = raises;
  return {reuse_or_append(instruction, type), type, valid, interval};
}

bool Builder::may_raise() const {
  return std::any_of(program_.code.begin(), program_.code.end(),
                     [](const Instruction& i) { return i.op == Op::map && i.imm == 1; });
}

Value Builder::call(uint16 function, Type result, std::span<const Value> arguments, bool told_of_nulls, int slot) {
  std::vector<KeyField> fields;
  Operand valid = kAll;
  for (const Value& argument : arguments) {
    fields.push_back(
        {.value = argument.operand, .valid = told_of_nulls ? argument.valid : kAll, .type = argument.type});
    if (!told_of_nulls) valid = mask_and(valid, argument.valid);
  }
  Instruction call{.op = Op::call,
                   .type = result,
                   .function = function,
                   .slot = static_cast<int16>(slot),
                   .c = mask_and(live_, valid)};
  for (const Instruction& known : program_.code) {
    // Each instruction has a list of its own, so equal calls are told by what is in their lists; what a function was
    // bound to, such as a pattern, lies in its slot.
    if (known.op == Op::call && known.function == function && known.slot == call.slot && known.c == call.c &&
        program_.lists[known.list] == fields) {
      return {known.dst, result, valid, std::nullopt};
    }
  }
  call.list = static_cast<int16>(add_list(std::move(fields)));
  return {append(call, result), result, valid, std::nullopt};
}

Value Builder::range(const Value& value, int64 low, int64 high) {
  if (value.is_literal()) {
    const int128 number = program_.literals[value.operand.index].bits;
    return mask_value(mask_literal(number >= low && number <= high), value.valid);
  }
  Operand operand =
      reuse_or_append({.op = Op::range, .type = value.type, .a = value.operand, .imm = low, .imm2 = high}, Type::mask);
  return {operand, Type::mask, value.valid, std::nullopt};
}

Value Builder::lookup(const Value& codes, int slot) {
  Operand operand = reuse_or_append(
      {.op = Op::lookup, .type = codes.type, .slot = static_cast<int16>(slot), .a = codes.operand}, Type::mask);
  return {operand, Type::mask, codes.valid, std::nullopt};
}

Value Builder::mask_value(Operand mask, Operand valid) { return {mask, Type::mask, valid, std::nullopt}; }

Value Builder::range_real(const Value& value, double low, double high) {
  if (const std::optional<double> number = real_of({value.operand, value.type})) {
    return mask_value(mask_literal(*number >= low && *number <= high), value.valid);
  }
  Instruction range{.op = Op::range, .type = value.type, .a = value.operand};
  range.imm = std::bit_cast<int64>(low);
  range.imm2 = std::bit_cast<int64>(high);
  return {reuse_or_append(range, Type::mask), Type::mask, value.valid, std::nullopt};
}

std::optional<double> Builder::real_of(const Value& value) const {
  if (!value.is_literal() || value.valid || !is_float(value.type)) return std::nullopt;
  const int128 bits = program_.literals[value.operand.index].bits;
  if (value.type == Type::f32) return std::bit_cast<float>(static_cast<int32>(bits));
  return std::bit_cast<double>(static_cast<int64>(bits));
}

namespace {

// Both tests of one value at once.
void intersect(Instruction& range, const Instruction& other) {
  if (is_float(range.type)) {
    range.imm = std::bit_cast<int64>(std::max(std::bit_cast<double>(range.imm), std::bit_cast<double>(other.imm)));
    range.imm2 = std::bit_cast<int64>(std::min(std::bit_cast<double>(range.imm2), std::bit_cast<double>(other.imm2)));
  } else {
    range.imm = std::max(range.imm, other.imm);
    range.imm2 = std::min(range.imm2, other.imm2);
  }
}

}  // namespace

const Instruction* Builder::range_of(Operand mask) const {
  for (const Instruction& i : program_.code) {
    if (i.dst == mask) return i.op == Op::range ? &i : nullptr;
  }
  return nullptr;
}

Operand Builder::mask_and(Operand a, Operand b) {
  if (a == b || !b) return a;
  if (!a) return b;
  // Two ranges of one value are one.
  const Instruction *x = range_of(a), *y = range_of(b);
  if (x && y && x->a == y->a) {
    Instruction both = *x;
    both.dst = {};
    intersect(both, *y);
    return reuse_or_append(both, Type::mask);
  }
  if (b.index < a.index) std::swap(a, b);
  return reuse_or_append({.op = Op::mask_and, .type = Type::mask, .a = a, .b = b}, Type::mask);
}

Operand Builder::mask_or(Operand a, Operand b) {
  if (!a || !b) return kAll;
  if (a == b) return a;
  if (b.index < a.index) std::swap(a, b);
  return reuse_or_append({.op = Op::mask_or, .type = Type::mask, .a = a, .b = b}, Type::mask);
}

Operand Builder::mask_and_not(Operand a, Operand b) {
  if (!b || a == b) return mask_literal(false);
  return reuse_or_append({.op = Op::mask_and_not, .type = Type::mask, .a = a, .b = b}, Type::mask);
}

Operand Builder::mask_not(Operand a) {
  return reuse_or_append({.op = Op::mask_not, .type = Type::mask, .a = a}, Type::mask);
}

void Builder::filter(const Value& predicate) { filter_mask(mask_and(predicate.operand, predicate.valid)); }

// Narrows the range of an earlier filter instead of adding one: rows only drop earlier. The earlier range must serve
// that filter alone.
bool Builder::narrow_filter(const Instruction& range) {
  for (Instruction& i : program_.code) {
    if (i.op != Op::range || i.a != range.a || i.dst == range.dst || i.node != node_) continue;
    int filters = 0, reads = 0;
    for (const Instruction& reader : program_.code) {
      filters += reader.op == Op::filter && reader.b == i.dst;
      reads += reader.a == i.dst || reader.b == i.dst || reader.c == i.dst || reader.entry == i.dst;
    }
    if (filters != 1 || reads != 1) continue;
    known_.erase(key_of(i));
    intersect(i, range);
    return true;
  }
  return false;
}

void Builder::filter_mask(Operand mask) {
  if (!mask || mask == live_) return;
  if (const Instruction* range = range_of(mask); range && narrow_filter(*range)) return;
  live_ = append({.op = Op::filter, .type = Type::mask, .a = live_, .b = mask}, Type::mask);
}

void Builder::compact_here() {
  if (live_) append({.op = Op::compact, .a = live_}, Type::none);
}

int Builder::add_list(std::vector<KeyField> fields) {
  program_.lists.push_back(std::move(fields));
  return static_cast<int>(program_.lists.size() - 1);
}

int Builder::add_slot(std::string what) {
  program_.slots.push_back(std::move(what));
  return static_cast<int>(program_.slots.size() - 1);
}

void Builder::enter_node(uint16 node) {
  node_ = node;
  entry_ = live_;
}

Program Builder::finish() {
  program_.registers = value_types_;
  verify(program_);
  return std::move(program_);
}

}  // namespace frazil::program
