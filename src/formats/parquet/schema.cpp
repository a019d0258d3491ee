#include "formats/parquet/schema.hpp"

#include "base/error.hpp"

namespace frazil::formats {

using columns::DataType;
using columns::TimeUnit;
using columns::TypeId;

namespace {

void require(bool condition) {
  if (!condition) [[unlikely]]
    fail(ErrorKind::compute, "Parquet: the schema is damaged");
}

// What a column's values mean; the numbers are those of the format's LogicalType.
enum class Meaning : uint8_t {
  none = 0,
  string = 1,
  map = 2,
  list = 3,
  enumeration = 4,
  decimal = 5,
  date = 6,
  time = 7,
  timestamp = 8,
  integer = 10,
  null = 11,
  json = 12,
  bson = 13,
  uuid = 14,
  float16 = 15,
  other = 16,
};
constexpr const char* kMeanings[] = {"",     "STRING", "MAP",       "LIST",    "ENUM",           "DECIMAL",
                                     "DATE", "TIME",   "TIMESTAMP", "",        "INTEGER",        "UNKNOWN",
                                     "JSON", "BSON",   "UUID",      "FLOAT16", "of another kind"};
constexpr const char* kStored[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                   "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};

enum Repetition : int32_t { required = 0, optional_ = 1, repeated = 2 };

struct Element {
  std::string name;
  int32_t stored = -1, fixed_bytes = 0, repetition = required, children = 0;
  Meaning meaning = Meaning::none;
  int32_t scale = 0, precision = 0, bits = 0;
  bool is_signed = true, utc = false;
  TimeUnit unit = TimeUnit::milliseconds;
};

void read_unit(ThriftReader& reader, ThriftType type, Element& element) {
  reader.structure(type, [&](int16_t field, ThriftType) {
    require(field >= 1 && field <= 3);
    element.unit = static_cast<TimeUnit>(field - 1);
    return false;
  });
}

// Parameters of an integer, a decimal or a time, which have their numbers in common.
void read_parameters(ThriftReader& reader, ThriftType type, Element& element) {
  reader.structure(type, [&](int16_t field, ThriftType kind) {
    switch (element.meaning) {
      case Meaning::decimal:
        if (field > 2) return false;
        (field == 1 ? element.scale : element.precision) = reader.whole32(kind);
        return true;
      case Meaning::integer:
        if (field == 1) element.bits = reader.whole32(kind);
        if (field == 2) element.is_signed = reader.truth(kind);
        return field <= 2;
      case Meaning::time:
      case Meaning::timestamp:
        if (field == 1) element.utc = reader.truth(kind);
        if (field == 2) read_unit(reader, kind, element);
        return field <= 2;
      default: return false;
    }
  });
}

void read_logical(ThriftReader& reader, ThriftType type, Element& element) {
  reader.structure(type, [&](int16_t field, ThriftType kind) {
    element.meaning = field >= 1 && field <= 15 && field != 9 ? static_cast<Meaning>(field) : Meaning::other;
    read_parameters(reader, kind, element);
    return true;
  });
}

// The annotations of before LogicalType.
void apply_converted(int32_t converted, Element& element) {
  switch (converted) {
    case 0: element.meaning = Meaning::string; return;
    case 1:
    case 2: element.meaning = Meaning::map; return;
    case 3: element.meaning = Meaning::list; return;
    case 4: element.meaning = Meaning::enumeration; return;
    case 5: element.meaning = Meaning::decimal; return;
    case 6: element.meaning = Meaning::date; return;
    case 7:
    case 8: element.meaning = Meaning::time; return;
    case 9:
    case 10:
      element.meaning = Meaning::timestamp;
      element.unit = converted == 9 ? TimeUnit::milliseconds : TimeUnit::microseconds;
      return;
    case 11:
    case 12:
    case 13:
    case 14:
    case 15:
    case 16:
    case 17:
    case 18:
      element.meaning = Meaning::integer;
      element.is_signed = converted >= 15;
      element.bits = 8 << ((converted - 11) & 3);
      return;
    default: element.meaning = Meaning::other; return;
  }
}

Element read_element(ThriftReader& reader, ThriftType type) {
  Element element;
  int32_t converted = -1;
  reader.structure(type, [&](int16_t field, ThriftType kind) {
    switch (field) {
      case 1: element.stored = reader.whole32(kind); return true;
      case 2: element.fixed_bytes = reader.whole32(kind); return true;
      case 3: element.repetition = reader.whole32(kind); return true;
      case 4: element.name = reader.binary(kind); return true;
      case 5: element.children = reader.whole32(kind); return true;
      case 6: converted = reader.whole32(kind); return true;
      case 7: element.scale = reader.whole32(kind); return true;
      case 8: element.precision = reader.whole32(kind); return true;
      case 10: read_logical(reader, kind, element); return true;
      default: return false;
    }
  });
  if (element.meaning == Meaning::none && converted >= 0) apply_converted(converted, element);
  require(element.repetition >= required && element.repetition <= repeated && element.children >= 0);
  return element;
}

std::optional<DataType> decimal_type(const Element& element, int digits_max) {
  const bool fits = element.precision >= 1 && element.precision <= digits_max && element.scale >= 0 &&
                    element.scale <= element.precision;
  return fits ? std::optional(columns::decimal(element.precision, element.scale)) : std::nullopt;
}

std::optional<DataType> integer_type(const Element& element, int bits_stored) {
  if (element.bits > bits_stored) return std::nullopt;
  switch (element.bits) {
    case 8: return columns::simple(element.is_signed ? TypeId::int8 : TypeId::uint8);
    case 16: return columns::simple(element.is_signed ? TypeId::int16 : TypeId::uint16);
    case 32: return columns::simple(element.is_signed ? TypeId::int32 : TypeId::uint32);
    case 64: return columns::simple(element.is_signed ? TypeId::int64 : TypeId::uint64);
    default: return std::nullopt;
  }
}

std::optional<DataType> type_of(const Element& element) {
  const Meaning meaning = element.meaning;
  switch (static_cast<Stored>(element.stored)) {
    case Stored::boolean:
      if (meaning == Meaning::none) return columns::simple(TypeId::boolean);
      break;
    case Stored::int32:
      if (meaning == Meaning::none) return columns::simple(TypeId::int32);
      if (meaning == Meaning::date) return columns::simple(TypeId::date);
      if (meaning == Meaning::integer && element.bits <= 32) return integer_type(element, 32);
      if (meaning == Meaning::decimal) return decimal_type(element, 9);
      break;
    case Stored::int64:
      if (meaning == Meaning::none) return columns::simple(TypeId::int64);
      if (meaning == Meaning::integer && element.bits == 64) return integer_type(element, 64);
      if (meaning == Meaning::decimal) return decimal_type(element, 18);
      if (meaning == Meaning::timestamp) {
        DataType type = columns::simple(TypeId::datetime);
        type.unit = element.unit;
        if (element.utc) type.zone = "UTC";
        return type;
      }
      break;
    case Stored::float32:
      if (meaning == Meaning::none) return columns::simple(TypeId::float32);
      break;
    case Stored::float64:
      if (meaning == Meaning::none) return columns::simple(TypeId::float64);
      break;
    case Stored::bytes:
      if (meaning == Meaning::string) return columns::simple(TypeId::string);
      if (meaning == Meaning::none) return columns::simple(TypeId::binary);
      if (meaning == Meaning::decimal) return decimal_type(element, 38);
      break;
    case Stored::fixed:
      if (meaning == Meaning::decimal && element.fixed_bytes >= 1 && element.fixed_bytes <= 16) {
        return decimal_type(element, 38);
      }
      if (meaning == Meaning::none && element.fixed_bytes >= 1) return columns::simple(TypeId::binary);
      break;
    case Stored::int96: break;
  }
  return std::nullopt;
}

Leaf leaf_of(const Element& element) {
  require(element.stored >= 0 && element.stored <= static_cast<int32_t>(Stored::fixed) && element.fixed_bytes >= 0);
  Leaf leaf;
  leaf.stored = static_cast<Stored>(element.stored);
  leaf.fixed_bytes = element.fixed_bytes;
  leaf.optional = element.repetition == optional_;
  leaf.nested = element.repetition == repeated;
  leaf.is_unsigned = element.meaning == Meaning::integer && !element.is_signed;
  leaf.type = type_of(element);
  leaf.annotation = kStored[element.stored];
  if (element.meaning != Meaning::none)
    leaf.annotation += std::string(" ") + kMeanings[static_cast<int>(element.meaning)];
  return leaf;
}

}  // namespace

std::vector<Leaf> read_schema(ThriftReader& reader, ThriftType type) {
  std::vector<Element> elements;
  reader.list(type, [&](ThriftType element) { elements.push_back(read_element(reader, element)); });
  require(!elements.empty());
  std::vector<Leaf> leaves;
  // The tree comes parents first; `open` counts the elements of the outermost field that are still to come.
  int64_t fields = elements[0].children, open = 0;
  const Element* outermost = nullptr;
  for (size_t i = 1; i < elements.size(); ++i) {
    const Element& element = elements[i];
    if (open == 0) {
      require(--fields >= 0);
      outermost = &element;
      open = 1;
    }
    open += element.children - 1;
    require(open <= static_cast<int64_t>(elements.size()));
    if (element.children > 0 || element.stored < 0) continue;
    leaves.push_back(leaf_of(element));
    leaves.back().name = outermost->name;
    leaves.back().nested |= outermost != &element;
  }
  require(fields == 0 && open == 0);
  return leaves;
}

}  // namespace frazil::formats
