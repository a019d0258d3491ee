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

std::optional<columns::Interval> joined(const std::vector<Parked>& batches, size_t c) {
  std::optional<columns::Interval> all;
  for (const Parked& batch : batches) {
    const auto& one = batch.shape(c).interval;
    if (!one) return std::nullopt;
    all = all ? columns::Interval{std::min(all->low, one->low), std::max(all->high, one->high)} : *one;
  }
  return all;
}

class TableSource : public Source {
 public:
  TableSource(Context& context, const columns::Schema& schema, std::vector<Parked> batches, std::string key)
      : key_(std::move(key)), batches_(std::move(batches)) {
    std::erase_if(batches_, [](const Parked& batch) { return batch.rows() == 0; });
    for (size_t c = 0; c < schema.size(); ++c) describe_column(context, schema[c], c);
    const int64_t rows = context.batch_rows > 0 ? context.batch_rows : morsel_rows(schema);
    for (size_t b = 0; b < batches_.size(); ++b) {
      for (int64_t row = 0; row < batches_[b].rows(); row += rows) {
        morsels_.push_back({b, row, std::min(rows, batches_[b].rows() - row), facts_.rows + row});
      }
      facts_.rows += batches_[b].rows();
    }
  }
  const Facts& facts() const override { return facts_; }
  int64_t tasks() const override { return static_cast<int64_t>(morsels_.size()); }
  Batch read(Context& context, int64_t task) override {
    const Morsel& morsel = morsels_[static_cast<size_t>(task)];
    Batch part = columns::slice(batches_[morsel.batch].load(), morsel.start, morsel.rows);
    for (size_t c = 0; c < part.columns.size(); ++c) {
      if (decoded_[c]) part.columns[c] = primitives::decode(part.columns[c], context.pool);
    }
    part.ordinal = morsel.ordinal;
    return part;
  }
  int64_t rows_before(int64_t task) const override { return morsels_[static_cast<size_t>(task)].ordinal; }
  std::string key() const override { return key_; }

 private:
  struct Morsel {
    size_t batch;
    int64_t start, rows, ordinal;
  };

  void describe_column(Context& context, const columns::Field& field, size_t c) {
    bool agree = true, nullable = false;
    for (const Parked& batch : batches_) {
      agree &= same_layout(batch.shape(c), batches_[0].shape(c));
      nullable |= batch.has_nulls(c);
    }
    decoded_.push_back(!agree);
    Column like = batches_.empty() ? primitives::nulls(field.type, 0, context.pool) : batches_[0].shape(c);
    if (!agree) like = plain(like);
    program::SourceColumn source = describe(field.name, like);
    source.nullable = nullable;
    if (!batches_.empty()) source.interval = joined(batches_, c);
    facts_.columns.push_back(std::move(source));
  }

  // What decode makes of a column.
  static Column plain(const Column& shape) {
    Column column;
    column.type = shape.type;
    column.physical = columns::plain_physical(shape.type);
    return column;
  }

  std::string key_;
  Facts facts_;
  std::vector<Parked> batches_;
  std::vector<bool> decoded_;  // by column
  std::vector<Morsel> morsels_;
};

}  // namespace

int64_t morsel_rows(const columns::Schema& schema) {
  constexpr int64_t kBytes = 4 << 20, kLeastRows = 8 << 10;
  int64_t width = 0;
  for (const columns::Field& field : schema) width += columns::bytes_per_row(columns::plain_physical(field.type));
  return std::clamp(kBytes / std::max<int64_t>(width, 1) / kLeastRows * kLeastRows, kLeastRows, kMorselRows);
}

SourcePtr parked_source(Context& context, const columns::Schema& schema, std::vector<Parked> batches, std::string key) {
  if (batches.size() == 1 && batches[0].is_on_device()) return device_source(schema, batches[0].load());
  return std::make_shared<TableSource>(context, schema, std::move(batches), std::move(key));
}

SourcePtr table_source(Context& context, const columns::Schema& schema, std::vector<Batch> batches, std::string key) {
  std::vector<Parked> parked;
  for (Batch& batch : batches) parked.emplace_back(context.parking, std::move(batch));
  return parked_source(context, schema, std::move(parked), std::move(key));
}

}  // namespace frazil::execute
