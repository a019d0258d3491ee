#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "base/error.hpp"
#include "primitives/cuda/device_program.hpp"

namespace frazil::primitives::cuda {
namespace {

using program::Instruction;
using program::KeyField;
using program::Op;
using program::Operand;
using program::Program;
using program::Type;

// none: what this interpreter does not read.
DeviceOperand::Kind kind_of(Element element) {
  switch (element) {
    case Element::i8: return DeviceOperand::i8;
    case Element::u8: return DeviceOperand::u8;
    case Element::i16: return DeviceOperand::i16;
    case Element::u16: return DeviceOperand::u16;
    case Element::i32: return DeviceOperand::i32;
    case Element::u32: return DeviceOperand::u32;
    case Element::i64: return DeviceOperand::i64;
    case Element::f64: return DeviceOperand::f64;
    default: return DeviceOperand::none;
  }
}

// Walks a program whose values still have registers of their own.
class Folder {
 public:
  Folder(const Program& program, const std::vector<int>& cell_slots) : program_(program) {
    for (size_t c = 0; c < cell_slots.size(); ++c) cell_of_slot_[cell_slots[c]] = static_cast<int>(c);
    folded_.program.cells = static_cast<int>(cell_slots.size());
  }

  Folded run() {
    choose_word();
    count_reads();
    for (const Instruction& i : program_.code) {
      if (!folded_.lacks.empty()) break;
      step(i);
    }
    for (const auto& digit : folded_.digits) folded_.program.groups *= static_cast<int>(digit.states);
    allocate();
    return std::move(folded_);
  }

 private:
  void lack(const std::string& what) {
    if (folded_.lacks.empty()) folded_.lacks = what;
  }

  // One kernel has registers of one type, the widest that the program computes in, and adds up in one: whole numbers
  // as 64 bits, floats as doubles.
  void choose_word() {
    bool any_float = false, any_wide = false, sums_wholes = false;
    for (const Instruction& i : program_.code) {
      const bool computes = i.op == Op::map || i.op == Op::convert || i.op == Op::cell_add || i.op == Op::load;
      const Type type = i.op == Op::cell_add ? i.from : i.type;
      if (!computes) continue;
      any_float |= type == Type::f64;
      any_wide |= type == Type::i64;
      if (type != Type::i32 && type != Type::i64 && type != Type::f64 && type != Type::row && type != Type::u64) {
        lack("registers wider than 64 bits");
      }
      if (i.op != Op::cell_add) continue;
      const bool is_whole = (type == Type::i32 || type == Type::i64) && i.type == Type::i64;
      if (!is_whole && !(type == Type::f64 && i.type == Type::f64)) lack("sums of this type");
      sums_wholes |= is_whole;
    }
    if (any_float && sums_wholes) lack("sums of whole numbers beside floats");
    folded_.word = any_float ? Word::f64 : any_wide ? Word::i64 : Word::i32;
  }

  // What nobody reads is left out.
  bool is_dead(const Instruction& i) const { return i.dst && i.op != Op::filter && reads_[i.dst.index] == 0; }

  // From the end, so that the reads of what is left out do not count.
  void count_reads() {
    reads_.assign(program_.registers.size(), 0);
    auto count = [&](const Operand& operand) {
      if (operand.kind == Operand::value) ++reads_[operand.index];
    };
    for (auto at = program_.code.rbegin(); at != program_.code.rend(); ++at) {
      const Instruction& i = *at;
      if (is_dead(i)) continue;
      for (const Operand& operand : {i.a, i.b, i.c}) count(operand);
      if (i.list < 0) continue;
      for (const KeyField& field : program_.lists[static_cast<size_t>(i.list)]) {
        count(field.value);
        count(field.valid);
      }
    }
  }

  DeviceStep& add(DeviceOp op) {
    if (folded_.program.step_count == kMaxSteps) {
      lack("programs of this length");
      folded_.program.step_count = 0;
    }
    DeviceStep& step = folded_.program.steps[folded_.program.step_count++];
    step = DeviceStep{};
    step.op = op;
    return step;
  }

  uint8 column(const Operand& operand) {
    for (size_t c = 0; c < folded_.column_of.size(); ++c) {
      if (folded_.column_of[c] == operand.index) return static_cast<uint8>(c);
    }
    if (folded_.column_of.size() == kMaxColumns) {
      lack("so many columns");
      return 0;
    }
    const program::SourceColumn& source = program_.columns[operand.index];
    DeviceColumn& device = folded_.program.columns[folded_.column_of.size()];
    device = {nullptr, nullptr, source.encoding == columns::Encoding::narrow ? static_cast<int64>(source.base) : 0,
              static_cast<uint8>(program::bytes_of(source.element)), static_cast<bool>(live_)};
    if (kind_of(source.element) == DeviceOperand::none) lack("columns of " + source.type.name());
    if (source.encoding == columns::Encoding::constant) lack("constant columns");
    folded_.column_of.push_back(operand.index);
    return static_cast<uint8>(folded_.program.column_count++);
  }

  // A number as registers hold it: in a float program all of them are doubles.
  int64 word_bits(Type type, int64 number) const {
    const bool converts = folded_.word == Word::f64 && !program::is_float(type);
    return converts ? std::bit_cast<int64>(static_cast<double>(number)) : number;
  }

  // Arithmetic wraps as its own type does, so a wider register would not do; comparisons do not mind.
  bool is_word(Type type) const {
    return type == (folded_.word == Word::f64 ? Type::f64 : folded_.word == Word::i64 ? Type::i64 : Type::i32);
  }

  // A value as an operand: loads that nobody else reads are read where they are used.
  DeviceOperand operand(const Operand& of, int64* literal) {
    if (of.kind == Operand::literal) {
      const program::Literal& value = program_.literals[of.index];
      *literal = word_bits(value.type, static_cast<int64>(value.bits));
      return {DeviceOperand::literal, 0};
    }
    if (auto load = direct_.find(of.index); load != direct_.end()) return load->second;
    return {DeviceOperand::reg, static_cast<uint8>(of.index)};
  }

  DeviceOperand column_operand(const Operand& of) { return {kind_of(program_.columns[of.index].element), column(of)}; }

  // Integers that 32 bits hold are compared as such in programs of wider words too.
  bool is_whole(const DeviceOperand& operand) const {
    if (folded_.word == Word::i32) return true;
    const int64 base = operand.is_column() ? folded_.program.columns[operand.index].base : 0;
    switch (operand.kind) {
      case DeviceOperand::i8:
      case DeviceOperand::u8:
      case DeviceOperand::i16:
      case DeviceOperand::u16: return std::abs(base) < int64{1} << 30;
      case DeviceOperand::i32: return base == 0;
      default: return false;
    }
  }

  uint8 mask(const Operand& of) {
    if (!of) return kNone;
    return of == live_ ? kLive : static_cast<uint8>(of.index);
  }

  // Masks: a filter that is the only reader of the test before it becomes part of it.
  DeviceStep& mask_step(DeviceOp op, const Instruction& i) {
    DeviceStep& step = add(op);
    step.dst = static_cast<uint8>(i.dst.index);
    maker_[i.dst.index] = folded_.program.step_count - 1;
    return step;
  }

  void filter(const Instruction& i) {
    live_ = i.dst;
    auto made = maker_.find(i.b.index);
    const bool alone = made != maker_.end() && reads_[i.b.index] == 1 && made->second == folded_.program.step_count - 1;
    DeviceStep& step = alone ? folded_.program.steps[made->second] : add(DeviceOp::mask_and);
    if (!alone) step.mask_a = step.mask_b = mask(i.b);
    step.dst = kNone;
    step.flags |= kFilters;
  }

  // Loads that one step reads are part of it; if they are summed too, it adds them up.
  void load(const Instruction& i) {
    int sums = 0;
    for (const Instruction& other : program_.code) sums += other.op == Op::cell_add && other.a == i.dst;
    const bool one_reader = reads_[i.dst.index] - sums == 1;
    if (one_reader && (sums == 0 || (sums == 1 && mapped_by(i)))) {
      direct_[i.dst.index] = column_operand(i.a);
      return;
    }
    value_step(DeviceOp::move, i).a = column_operand(i.a);
  }

  // The first map that makes a value of this one, if no filter leaves fewer rows before it does.
  const Instruction* mapped_by(const Instruction& made) const {
    for (const Instruction* i = &made + 1; i != program_.code.data() + program_.code.size(); ++i) {
      if (i->op == Op::filter) return nullptr;
      if (i->op == Op::map && !is_dead(*i) && (i->a == made.dst || i->b == made.dst) && !(i->a == i->b))
        return program_.registers[i->dst.index] != Type::mask ? i : nullptr;
    }
    return nullptr;
  }

  // The accumulator that a value of the rows that are live here is added to, once; none: kNone.
  uint8 take_sum(const Operand& value) {
    for (const Instruction& sum : program_.code) {
      if (sum.op != Op::cell_add || !(sum.a == value) || !(sum.c == live_)) continue;
      auto cell = cell_of_slot_.find(sum.slot);
      if (cell == cell_of_slot_.end() || std::find(done_.begin(), done_.end(), &sum) != done_.end()) continue;
      done_.push_back(&sum);
      return static_cast<uint8>(cell->second);
    }
    return kNone;
  }

  // A value that is summed over the rows that are live here is summed by the step that makes it; one that only its sum
  // reads needs no register.
  DeviceStep& value_step(DeviceOp op, const Instruction& i) {
    DeviceStep& step = add(op);
    step.dst = static_cast<uint8>(i.dst.index);
    step.cell = take_sum(i.dst);
    const int others = reads_[i.dst.index] - (step.cell != kNone);
    if (others == 0) step.dst = kNone;
    return step;
  }

  void cell(const Instruction& i) {
    if (std::find(done_.begin(), done_.end(), &i) != done_.end()) return;
    auto found = cell_of_slot_.find(i.slot);
    if (found == cell_of_slot_.end()) return lack("accumulators of this kind");
    DeviceStep& step = add(i.op == Op::cell_add ? DeviceOp::sum : DeviceOp::count);
    step.cell = static_cast<uint8>(found->second);
    step.mask_a = i.c == live_ ? kNone : mask(i.c);
    if (i.op == Op::cell_add) step.a = operand(i.a, &step.low);
  }

  void pack_key(const Instruction& i) {
    int64 stride = 1;
    for (const KeyField& field : program_.lists[static_cast<size_t>(i.list)]) {
      if (field.states == 0 || stride * static_cast<int64>(field.states) > 4096) return lack("so many groups");
      if (field.type != Type::i32 && field.type != Type::i64) return lack("group keys of this dtype");
      DeviceStep& step = add(DeviceOp::group_field);
      step.a = operand(field.value, &step.extra);
      if (is_whole(step.a)) step.flags |= kWhole;
      step.low = static_cast<int64>(field.base);
      step.high = stride;
      if (field.nullable) step.flags |= kNullable;
      step.mask_a = field.nullable ? mask(field.valid) : kNone;
      folded_.digits.push_back({static_cast<int64>(field.states), field.shift});
      stride *= static_cast<int64>(field.states);
    }
  }

  bool has_groups() const {
    return std::any_of(program_.code.begin(), program_.code.end(), [](const auto& i) { return i.op == Op::pack_key; });
  }

  // A function of a column and a literal that another one takes as its operand b is part of that step.
  bool becomes_inner(const Instruction& i) {
    if (!has_groups() || i.c || !i.b || reads_[i.dst.index] != 1 || i.a.kind == i.b.kind) return false;
    const bool literal_first = i.a.kind == Operand::literal;
    const Operand& value = literal_first ? i.b : i.a;
    const Instruction* outer = mapped_by(i);
    if (value.kind != Operand::value || !direct_.contains(value.index) || !outer || !(outer->b == i.dst)) return false;
    Inner inner{i.function, literal_first, value};
    operand(literal_first ? i.a : i.b, &inner.literal);
    inner_[i.dst.index] = inner;
    return true;
  }

  void map(const Instruction& i) {
    if (i.imm == 1) return lack("checked arithmetic");
    const bool to_mask = program_.registers[i.dst.index] == Type::mask;
    const bool whole_in_float = folded_.word == Word::f64 && i.type != Type::f64;
    if (to_mask ? whole_in_float : !is_word(i.type)) return lack("arithmetic of several types in one program");
    if (!to_mask && becomes_inner(i)) return;
    DeviceStep made{};
    made.function = i.function;
    made.a = operand(i.a, &made.low);
    Operand second = i.b;
    if (const auto found = inner_.find(i.b.index); i.b.kind == Operand::value && found != inner_.end()) {
      const Inner& inner = found->second;
      made.inner = inner.function;
      made.flags = inner.literal_first ? kLiteralFirst : 0;
      made.extra = inner.literal;
      second = inner.value;
    }
    if (second) made.b = operand(second, &made.extra);
    if (i.c) operand(i.c, &made.high);
    DeviceStep& step = to_mask ? mask_step(DeviceOp::predicate, i) : value_step(DeviceOp::function, i);
    if (made.a.is_column()) step.cell_a = take_sum(i.a);
    if (made.b.is_column()) step.cell_b = take_sum(second);
    step.function = made.function;
    step.inner = made.inner;
    step.flags |= made.flags;
    step.a = made.a;
    step.b = made.b;
    step.low = made.low;
    step.high = made.high;
    step.extra = made.extra;
  }

  void step(const Instruction& i) {
    if (is_dead(i)) return;
    switch (i.op) {
      case Op::load: return load(i);
      case Op::load_valid: {
        const DeviceOperand a = column_operand(i.a);
        mask_step(DeviceOp::valid, i).a = a;
        return;
      }
      case Op::map: return map(i);
      case Op::convert:
        // All registers of a kernel are of one type, and a group number is the key itself.
        if (i.type == Type::row) return;
        {
          int64 literal = 0;
          const DeviceOperand a = operand(i.a, &literal);
          DeviceStep& step = value_step(DeviceOp::move, i);
          step.a = a;
          step.low = literal;
        }
        return;
      case Op::range: {
        int64 literal = 0;
        const DeviceOperand a = operand(i.a, &literal);
        DeviceStep& step = mask_step(DeviceOp::range, i);
        step.a = a;
        const bool whole = is_whole(a);
        if (whole) step.flags |= kWhole;
        step.low = whole ? i.imm : word_bits(i.type, i.imm);
        step.high = whole ? i.imm2 : word_bits(i.type, i.imm2);
        return;
      }
      case Op::lookup: {
        int64 literal = 0;
        const DeviceOperand a = operand(i.a, &literal);
        DeviceStep& step = mask_step(DeviceOp::lookup, i);
        step.a = a;
        if (is_whole(a)) step.flags |= kWhole;
        step.low = static_cast<int64>(folded_.table_slot.size());
        folded_.table_slot.push_back(i.slot);
        if (folded_.table_slot.size() > kMaxColumns) lack("so many dictionary predicates");
        return;
      }
      case Op::mask_and:
      case Op::mask_or:
      case Op::mask_and_not:
      case Op::mask_not: {
        static const std::map<Op, DeviceOp> kSame = {{Op::mask_and, DeviceOp::mask_and},
                                                     {Op::mask_or, DeviceOp::mask_or},
                                                     {Op::mask_and_not, DeviceOp::mask_and_not},
                                                     {Op::mask_not, DeviceOp::mask_not}};
        DeviceStep& step = mask_step(kSame.at(i.op), i);
        step.mask_a = mask(i.a);
        step.mask_b = mask(i.b);
        return;
      }
      case Op::filter: return filter(i);
      case Op::compact: return;  // warps skip dead rows by themselves
      case Op::pack_key: return pack_key(i);
      case Op::cell_add:
      case Op::cell_count: return cell(i);
      case Op::count_rows: return count_rows(i);
      default: return lack("this kind of step");
    }
  }

  // Nodes that leave the same rows share a counter.
  void count_rows(const Instruction& i) {
    if (!(i.c == live_)) return lack("rows counted late");
    if (folded_.program.nodes == 0 || !(counted_ == live_)) {
      if (folded_.program.nodes == kMaxNodes) return lack("so many plan nodes");
      add(DeviceOp::count_rows).cell = static_cast<uint8>(folded_.program.nodes++);
      counted_ = live_;
    }
    folded_.counter_of_node.push_back({i.node, folded_.program.nodes - 1});
  }

  // Registers by last use; value and mask registers are numbered apart.
  void allocate() {
    std::map<int, int> last_value, last_mask;
    auto is_mask = [](const DeviceStep& s) { return s.op >= DeviceOp::predicate; };
    for (int at = 0; at < folded_.program.step_count; ++at) {
      const DeviceStep& s = folded_.program.steps[at];
      for (const DeviceOperand& o : {s.a, s.b}) {
        if (o.kind == DeviceOperand::reg) last_value[o.index] = at;
      }
      for (uint8 m : {s.mask_a, s.mask_b}) {
        if (m < kLive) last_mask[m] = at;
      }
    }
    std::map<int, uint8> value_place, mask_place;
    std::vector<uint8> free_values, free_masks;
    auto take = [](std::vector<uint8>& free, int& count) {
      if (free.empty()) return static_cast<uint8>(count++);
      const uint8 place = free.back();
      free.pop_back();
      return place;
    };
    for (int at = 0; at < folded_.program.step_count; ++at) {
      DeviceStep& s = folded_.program.steps[at];
      std::vector<uint8> freed_values, freed_masks;
      for (DeviceOperand* o : {&s.a, &s.b}) {
        if (o->kind != DeviceOperand::reg) continue;
        const int value = o->index;
        o->index = value_place.at(value);
        if (last_value[value] == at) freed_values.push_back(o->index);
      }
      for (uint8* m : {&s.mask_a, &s.mask_b}) {
        if (*m >= kLive) continue;
        const int value = *m;
        *m = mask_place.at(value);
        if (last_mask[value] == at) freed_masks.push_back(*m);
      }
      // All of a step's operands are read before its result is written, so it may take the place of one.
      for (uint8 v : freed_values) {
        if (std::find(free_values.begin(), free_values.end(), v) == free_values.end()) free_values.push_back(v);
      }
      for (uint8 m : freed_masks) {
        if (std::find(free_masks.begin(), free_masks.end(), m) == free_masks.end()) free_masks.push_back(m);
      }
      if (s.dst == kNone) continue;
      auto& places = is_mask(s) ? mask_place : value_place;
      const int value = s.dst;
      s.dst = is_mask(s) ? take(free_masks, folded_.program.masks) : take(free_values, folded_.program.registers);
      places[value] = s.dst;
    }
  }

  const Program& program_;
  Folded folded_;
  std::map<int, int> cell_of_slot_;
  std::vector<int> reads_;
  std::map<int, DeviceOperand> direct_;  // value -> device column
  std::map<int, int> maker_;             // mask value -> step
  struct Inner {
    uint16 function;
    bool literal_first;
    Operand value;
    int64 literal = 0;
  };
  std::map<int, Inner> inner_;  // value -> what the step that reads it computes on the way
  std::vector<const Instruction*> done_;
  Operand live_, counted_;
};

}  // namespace

Folded fold(const Program& program, const std::vector<int>& cell_slots) {
  if (program.registers.size() > 250) {
    Folded folded;
    folded.lacks = "programs of this length";
    return folded;
  }
  return Folder(program, cell_slots).run();
}

}  // namespace frazil::primitives::cuda
