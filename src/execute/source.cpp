#include "execute/source.hpp"

#include <algorithm>

#include "execute/resident.hpp"
#include "primitives/move.hpp"

namespace frazil::execute {

using columns::Batch;
using columns::Column;
using columns::Encoding;
using columns::Physical;
using columns::TypeId;
using program::Element;

Element element_of(const Column& column) {
  const bool codes = column.encoding == Encoding::dictionary || column.type.id == TypeId::categorical ||
                     column.type.id == TypeId::enumeration;
  const bool is_unsigned = codes || (column.encoding != Encoding::narrow && column.type.id >= TypeId::uint8 &&
                                     column.type.id <= TypeId::uint128);
  switch (column.physical) {
    case Physical::bits: return Element::bits;
    case Physical::w1: return is_unsigned ? Element::u8 : Element::i8;
    case Physical::w2:
      return column.type.id == TypeId::float16 ? Element::none : is_unsigned ? Element::u16 : Element::i16;
    case Physical::w4:
      return column.type.id == TypeId::float32 ? Element::f32 : is_unsigned ? Element::u32 : Element::i32;
    case Physical::w8:
      return column.type.id == TypeId::float64 ? Element::f64 : is_unsigned ? Element::u64 : Element::i64;
    case Physical::w16: return is_unsigned ? Element::u128 : Element::i128;
    case Physical::view: return Element::view;
    case Physical::none:
    case Physical::offsets: break;
  }
  return Element::none;
}

Physical physical_of(Element element) {
  if (element == Element::bits) return Physical::bits;
  if (element == Element::view) return Physical::view;
  switch (program::bytes_of(element)) {
    case 1: return Physical::w1;
    case 2: return Physical::w2;
    case 4: return Physical::w4;
    case 8: return Physical::w8;
    case 16: return Physical::w16;
    default: return Physical::none;
  }
}

program::SourceColumn describe(const std::string& name, const Column& column) {
  program::SourceColumn source{name, column.type, element_of(column)};
  source.encoding = column.encoding;
  source.base = column.base;
  source.nullable = column.has_nulls();
  source.interval = column.interval;
  if (column.encoding == Encoding::dictionary) source.dictionary = column.dictionary;
  return source;
}

namespace {

bool same_layout(const Column& a, const Column& b) {
  return a.physical == b.physical && a.encoding == b.encoding && a.base == b.base && a.dictionary == b.dictionary;
}

std::optional<columns::Interval> joined(const std::vector<Batch>& batches, size_t c) {
  std::optional<columns::Interval> all;
  for (const Batch& batch : batches) {
    const auto& one = batch.columns[c].interval;
    if (!one) return std::nullopt;
    all = all ? columns::Interval{std::min(all->low, one->low), std::max(all->high, one->high)} : *one;
  }
  return all;
}

class TableSource : public Source {
 public:
  TableSource(Context& context, const columns::Schema& schema, std::vector<Batch> batches, std::string key)
      : key_(std::move(key)) {
    std::erase_if(batches, [](const Batch& batch) { return batch.rows == 0; });
    for (size_t c = 0; c < schema.size(); ++c) {
      bool agree = true, nullable = false;
      for (const Batch& batch : batches) {
        agree &= same_layout(batch.columns[c], batches[0].columns[c]);
        nullable |= batch.columns[c].has_nulls();
      }
      for (Batch& batch : batches) {
        if (!agree) batch.columns[c] = primitives::decode(batch.columns[c], context.pool);
      }
      program::SourceColumn source{schema[c].name, schema[c].type, Element::none};
      if (batches.empty()) {
        source = describe(schema[c].name, primitives::nulls(schema[c].type, 0, context.pool));
      } else {
        source = describe(schema[c].name, batches[0].columns[c]);
        source.interval = joined(batches, c);
      }
      source.nullable = nullable;
      facts_.columns.push_back(std::move(source));
    }
    const int64_t morsel = context.batch_rows > 0 ? context.batch_rows : kMorselRows;
    for (Batch& batch : batches) {
      for (int64_t row = 0; row < batch.rows; row += morsel) {
        Batch part = columns::slice(batch, row, std::min(morsel, batch.rows - row));
        part.ordinal = facts_.rows + row;
        morsels_.push_back(std::move(part));
      }
      facts_.rows += batch.rows;
    }
  }
  const Facts& facts() const override { return facts_; }
  int64_t tasks() const override { return static_cast<int64_t>(morsels_.size()); }
  Batch read(Context&, int64_t task) override { return morsels_[static_cast<size_t>(task)]; }
  int64_t rows_before(int64_t task) const override { return morsels_[static_cast<size_t>(task)].ordinal; }
  std::string key() const override { return key_; }

 private:
  std::string key_;
  Facts facts_;
  std::vector<Batch> morsels_;
};

}  // namespace

SourcePtr table_source(Context& context, const columns::Schema& schema, std::vector<Batch> batches, std::string key) {
  if (batches.size() == 1 && is_on_device(batches[0])) return device_source(schema, std::move(batches[0]));
  return std::make_shared<TableSource>(context, schema, std::move(batches), std::move(key));
}

}  // namespace frazil::execute
