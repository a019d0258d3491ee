#include "columns/dtype.hpp"

#include <string_view>

#include "columns/column.hpp"

namespace frazil::columns {

namespace {

const char* base_name(TypeId id) {
  static constexpr const char* kNames[] = {
      "Null",     "Boolean",  "Int8",        "Int16",   "Int32",   "Int64",   "Int128", "UInt8",  "UInt16", "UInt32",
      "UInt64",   "UInt128",  "Float16",     "Float32", "Float64", "Decimal", "String", "Binary", "Date",   "Time",
      "Datetime", "Duration", "Categorical", "Enum",    "List",    "Array",   "Struct", "Map"};
  return kNames[static_cast<int>(id)];
}

// As Python quotes a string without control characters.
std::string quoted(std::string_view text) {
  bool has_apostrophe = text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  std::string quoted_text(1, has_apostrophe ? '"' : '\'');
  quoted_text += text;
  quoted_text += quoted_text.front();
  return quoted_text;
}

const char* unit_name(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::milliseconds: return "ms";
    case TimeUnit::microseconds: return "us";
    case TimeUnit::nanoseconds: return "ns";
  }
  return "";
}

// Arrays of arrays print as one shape.
std::string array_name(const DataType& type) {
  std::string shape = std::to_string(type.width);
  const DataType* inner = &type.children->front().type;
  bool nested = false;
  for (; inner->id == TypeId::array; inner = &inner->children->front().type) {
    shape += ", " + std::to_string(inner->width);
    nested = true;
  }
  return "Array(" + inner->name() + ", shape=(" + shape + (nested ? "))" : ",))");
}

std::string struct_name(const DataType& type) {
  std::string text = "Struct({";
  for (size_t i = 0; i < type.children->size(); ++i) {
    const Field& field = (*type.children)[i];
    text += (i > 0 ? ", " : "") + quoted(field.name) + ": " + field.type.name();
  }
  return text + "})";
}

std::string enum_name(const DataType& type) {
  std::string text = "Enum(categories=[";
  int64_t count = type.categories ? type.categories->rows : 0;
  for (int64_t i = 0; i < count; ++i) {
    text += (i > 0 ? ", " : "") + quoted(text_at(*type.categories, i));
  }
  return text + "])";
}

bool same_children(const DataType& a, const DataType& b) {
  if (a.children == b.children) return true;
  return a.children && b.children && *a.children == *b.children;
}

}  // namespace

bool DataType::operator==(const DataType& other) const {
  if (id != other.id) return false;
  switch (id) {
    case TypeId::decimal: return precision == other.precision && scale == other.scale;
    case TypeId::datetime: return unit == other.unit && zone == other.zone;
    case TypeId::duration: return unit == other.unit;
    case TypeId::categorical:
    case TypeId::enumeration: return metadata_value == other.metadata_value && index_bytes == other.index_bytes;
    case TypeId::array: return width == other.width && same_children(*this, other);
    case TypeId::list:
    case TypeId::structure:
    case TypeId::map: return same_children(*this, other);
    default: return true;
  }
}

std::string DataType::name() const {
  switch (id) {
    case TypeId::decimal:
      return "Decimal(precision=" + std::to_string(precision) + ", scale=" + std::to_string(scale) + ")";
    case TypeId::datetime:
      return "Datetime(time_unit=" + quoted(unit_name(unit)) + ", time_zone=" + (zone.empty() ? "None" : quoted(zone)) +
             ")";
    case TypeId::duration: return "Duration(time_unit=" + quoted(unit_name(unit)) + ")";
    case TypeId::enumeration: return enum_name(*this);
    case TypeId::list: return "List(" + children->front().type.name() + ")";
    case TypeId::array: return array_name(*this);
    case TypeId::structure: return struct_name(*this);
    case TypeId::map: {
      const std::vector<Field>& entry = *children->front().type.children;
      return "Map(" + entry[0].type.name() + ", " + entry[1].type.name() + ")";
    }
    default: return base_name(id);
  }
}

std::string DataType::short_name() const {
  constexpr const char* kUnits[] = {"ms", "\u03bcs", "ns"};
  const std::string ticks = kUnits[static_cast<int>(unit)];
  switch (id) {
    case TypeId::boolean: return "bool";
    case TypeId::int8: return "i8";
    case TypeId::int16: return "i16";
    case TypeId::int32: return "i32";
    case TypeId::int64: return "i64";
    case TypeId::int128: return "i128";
    case TypeId::uint8: return "u8";
    case TypeId::uint16: return "u16";
    case TypeId::uint32: return "u32";
    case TypeId::uint64: return "u64";
    case TypeId::float32: return "f32";
    case TypeId::float64: return "f64";
    case TypeId::decimal: return "decimal[" + std::to_string(precision) + "," + std::to_string(scale) + "]";
    case TypeId::string: return "str";
    case TypeId::date: return "date";
    case TypeId::time: return "time";
    case TypeId::datetime: return "datetime[" + ticks + (zone.empty() ? "" : ", " + zone) + "]";
    case TypeId::duration: return "duration[" + ticks + "]";
    default: return name();
  }
}

DataType simple(TypeId id) {
  DataType type;
  type.id = id;
  return type;
}

DataType decimal(int precision, int scale) {
  DataType type = simple(TypeId::decimal);
  type.precision = static_cast<uint8_t>(precision);
  type.scale = static_cast<uint8_t>(scale);
  return type;
}

int plain_bytes(const DataType& type) { return bytes_per_row(plain_physical(type)); }

}  // namespace frazil::columns
