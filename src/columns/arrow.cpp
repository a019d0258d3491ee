// Dtypes and Arrow's format strings. Arrays are in arrow_import.cpp and arrow_export.cpp.
#include "columns/arrow.hpp"

#include <charconv>
#include <cstring>

#include "base/error.hpp"

namespace frazil::columns {

namespace {

constexpr int kDepthMax = 64;
constexpr int64_t kOrdered = 1;
constexpr int64_t kNullable = 2;
constexpr const char* kCategoricalKey = "_PL_CATEGORICAL2";
constexpr const char* kEnumKey = "_PL_ENUM_VALUES2";
constexpr const char* kGlobalCategories = "0;0;u32;";  // Polars' name for the categories without a name

struct PlainFormat {
  const char* format;
  TypeId id;
};
// The first format of a dtype is the one that is exported.
constexpr PlainFormat kPlainFormats[] = {
    {"n", TypeId::null},    {"b", TypeId::boolean},    {"c", TypeId::int8},         {"s", TypeId::int16},
    {"i", TypeId::int32},   {"l", TypeId::int64},      {"_pli128", TypeId::int128}, {"C", TypeId::uint8},
    {"S", TypeId::uint16},  {"I", TypeId::uint32},     {"L", TypeId::uint64},       {"_plu128", TypeId::uint128},
    {"e", TypeId::float16}, {"f", TypeId::float32},    {"g", TypeId::float64},      {"vu", TypeId::string},
    {"U", TypeId::string},  {"u", TypeId::string},     {"vz", TypeId::binary},      {"Z", TypeId::binary},
    {"z", TypeId::binary},  {"tdD", TypeId::date},     {"ttn", TypeId::time},       {"+L", TypeId::list},
    {"+l", TypeId::list},   {"+s", TypeId::structure}, {"+m", TypeId::map},
};

constexpr const char kUnitLetters[] = "mun";  // in the order of TimeUnit

std::string field_name(const ArrowSchema& schema) { return schema.name != nullptr ? schema.name : ""; }

[[noreturn]] void refuse(const ArrowSchema& schema, const std::string& why) {
  fail(ErrorKind::unsupported, "column '" + field_name(schema) + "': " + why);
}

[[noreturn]] void refuse_format(const ArrowSchema& schema) {
  if (std::string_view(schema.format) == "w:8")
    refuse(schema, "Object columns hold Python objects, which only Polars can run");
  refuse(schema, "no Polars dtype has the Arrow format '" + std::string(schema.format) + "'");
}

int64_t parse_whole(const ArrowSchema& schema, std::string_view digits) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 0) refuse_format(schema);
  return value;
}

// Metadata is a count, then per entry the lengths and bytes of key and value, all in the machine's byte order.
class MetadataReader {
 public:
  explicit MetadataReader(const char* at) : at_(at) {}
  int32_t whole() {
    int32_t value;
    std::memcpy(&value, at_, sizeof(value));
    at_ += sizeof(value);
    if (value < 0) fail(ErrorKind::compute, "an Arrow field has metadata of negative length");
    return value;
  }
  std::string text() {
    size_t length = static_cast<size_t>(whole());
    std::string text(at_, length);
    at_ += length;
    return text;
  }

 private:
  const char* at_;
};

// Calls `visit(key, value)` for each entry of the field's metadata.
template <class Visit>
void for_each_metadata(const ArrowSchema& schema, Visit visit) {
  if (schema.metadata == nullptr) return;
  MetadataReader reader(schema.metadata);
  for (int32_t left = reader.whole(); left > 0; --left) {
    std::string key = reader.text();
    visit(key, reader.text());
  }
}

std::string encode_metadata(const std::string& key, const std::string& value) {
  std::string bytes;
  auto append_whole = [&](size_t whole) {
    int32_t narrow = static_cast<int32_t>(whole);
    bytes.append(reinterpret_cast<const char*>(&narrow), sizeof(narrow));
  };
  append_whole(1);
  for (const std::string* text : {&key, &value}) {
    append_whole(text->size());
    bytes += *text;
  }
  return bytes;
}

// A span of the metadata in which one category lies.
struct CategorySpan {
  size_t offset;
  size_t length;
};

// Polars writes each category as its length, a semicolon and its bytes.
std::vector<CategorySpan> category_spans(const ArrowSchema& schema, std::string_view text) {
  std::vector<CategorySpan> spans;
  for (size_t at = 0; at < text.size();) {
    size_t semicolon = text.find(';', at);
    if (semicolon == std::string_view::npos) refuse(schema, "the categories of the Enum cannot be read");
    size_t length = static_cast<size_t>(parse_whole(schema, text.substr(at, semicolon - at)));
    if (length > text.size() - semicolon - 1) refuse(schema, "the categories of the Enum cannot be read");
    spans.push_back({semicolon + 1, length});
    at = semicolon + 1 + length;
  }
  return spans;
}

View view_of(std::string_view text, size_t offset, size_t length) {
  View view{static_cast<int32>(length), {}, 0, 0};
  if (view.length <= View::kInline) {
    if (length > 0) std::memcpy(reinterpret_cast<char*>(&view) + sizeof(view.length), text.data() + offset, length);
    return view;
  }
  std::memcpy(view.prefix, text.data() + offset, sizeof(view.prefix));
  view.offset = static_cast<int32>(offset);
  return view;
}

// The categories as a string column whose characters are a copy of the metadata.
std::shared_ptr<const Column> enum_categories(const ArrowSchema& schema, const std::string& text) {
  std::vector<CategorySpan> spans = category_spans(schema, text);
  auto owner = std::make_shared<std::pair<std::string, std::vector<View>>>(text, std::vector<View>());
  auto& [characters, views] = *owner;
  for (const CategorySpan& span : spans) views.push_back(view_of(characters, span.offset, span.length));
  Column column;
  column.type = simple(TypeId::string);
  column.rows = static_cast<int64_t>(spans.size());
  column.physical = Physical::view;
  column.values = memory::Buffer(owner, views.data(), column.rows * static_cast<int64_t>(sizeof(View)));
  column.characters = {memory::Buffer(owner, characters.data(), static_cast<int64_t>(characters.size()))};
  return std::make_shared<const Column>(std::move(column));
}

uint8_t index_bytes(const ArrowSchema& schema) {
  switch (std::strlen(schema.format) == 1 ? schema.format[0] : '\0') {
    case 'c':
    case 'C': return 1;
    case 's':
    case 'S': return 2;
    case 'i':
    case 'I': return 4;
    default: refuse(schema, "codes of categories have 8, 16 or 32 bits");
  }
}

bool is_text_format(const char* format) {
  std::string_view text = format != nullptr ? format : "";
  return text == "vu" || text == "u" || text == "U";
}

DataType import_dictionary_type(const ArrowSchema& schema) {
  if (!is_text_format(schema.dictionary->format)) refuse(schema, "only strings may be dictionary values");
  DataType type = simple(TypeId::null);
  type.index_bytes = index_bytes(schema);
  for_each_metadata(schema, [&](const std::string& key, const std::string& value) {
    if (key != kCategoricalKey && key != kEnumKey) return;
    type.id = key == kEnumKey ? TypeId::enumeration : TypeId::categorical;
    type.metadata_key = key;
    type.metadata_value = value;
  });
  if (type.id == TypeId::null) {
    if (type.index_bytes != 4) refuse(schema, "a dictionary without Polars' metadata needs 32-bit codes");
    type.id = TypeId::categorical;
    type.metadata_key = kCategoricalKey;
    type.metadata_value = kGlobalCategories;
  }
  if (type.id == TypeId::enumeration) type.categories = enum_categories(schema, type.metadata_value);
  return type;
}

DataType import_decimal(const ArrowSchema& schema, std::string_view digits) {
  size_t comma = digits.find(',');
  if (comma == std::string_view::npos) refuse_format(schema);
  size_t second = digits.find(',', comma + 1);
  if (second != std::string_view::npos) {
    std::string_view bits = digits.substr(second + 1);
    if (bits != "32" && bits != "64" && bits != "128") refuse_format(schema);
    digits = digits.substr(0, second);
  }
  int64_t precision = parse_whole(schema, digits.substr(0, comma));
  int64_t scale = parse_whole(schema, digits.substr(comma + 1));
  if (precision < 1 || precision > 38 || scale > precision) refuse_format(schema);
  return decimal(static_cast<int>(precision), static_cast<int>(scale));
}

TimeUnit import_unit(const ArrowSchema& schema, char letter) {
  const char* found = letter != '\0' ? std::strchr(kUnitLetters, letter) : nullptr;
  if (found == nullptr) refuse_format(schema);
  return static_cast<TimeUnit>(found - kUnitLetters);
}

DataType import_type_at(const ArrowSchema& schema, int depth);

const ArrowSchema& child_schema(const ArrowSchema& schema, int64_t index) {
  const ArrowSchema* child = schema.children != nullptr ? schema.children[index] : nullptr;
  if (child == nullptr) fail(ErrorKind::compute, "an Arrow field lacks a child");
  return *child;
}

std::shared_ptr<const std::vector<Field>> import_children(const ArrowSchema& schema, int depth) {
  auto fields = std::make_shared<std::vector<Field>>();
  for (int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema& child = child_schema(schema, i);
    fields->push_back({field_name(child), import_type_at(child, depth + 1)});
  }
  return fields;
}

// Names of the inner fields of lists and maps say nothing to Polars, so they are made equal.
std::shared_ptr<const std::vector<Field>> import_item(const ArrowSchema& schema, int depth) {
  if (schema.n_children != 1) fail(ErrorKind::compute, "an Arrow list has one child");
  auto fields = std::make_shared<std::vector<Field>>();
  fields->push_back({"item", import_type_at(child_schema(schema, 0), depth + 1)});
  return fields;
}

std::shared_ptr<const std::vector<Field>> import_entries(const ArrowSchema& schema, int depth) {
  auto fields = std::make_shared<std::vector<Field>>(*import_item(schema, depth));
  Field& entries = fields->front();
  if (entries.type.id != TypeId::structure || entries.type.children->size() != 2) {
    fail(ErrorKind::compute, "an Arrow map has a struct of key and value");
  }
  entries.name = "entries";
  auto pair = std::make_shared<std::vector<Field>>(*entries.type.children);
  (*pair)[0].name = "key";
  (*pair)[1].name = "value";
  entries.type.children = std::move(pair);
  return fields;
}

DataType import_plain_type(const ArrowSchema& schema, int depth) {
  for (const PlainFormat& plain : kPlainFormats) {
    if (std::strcmp(plain.format, schema.format) != 0) continue;
    DataType type = simple(plain.id);
    if (type.id == TypeId::list) type.children = import_item(schema, depth);
    if (type.id == TypeId::map) type.children = import_entries(schema, depth);
    if (type.id == TypeId::structure) type.children = import_children(schema, depth);
    return type;
  }
  refuse_format(schema);
}

DataType import_type_at(const ArrowSchema& schema, int depth) {
  if (schema.release == nullptr || schema.format == nullptr || schema.n_children < 0) {
    fail(ErrorKind::compute, "an Arrow field is released or has no format");
  }
  if (depth > kDepthMax) refuse(schema, "more than " + std::to_string(kDepthMax) + " levels of nesting");
  for_each_metadata(schema, [&](const std::string& key, const std::string& value) {
    if (key == "ARROW:extension:name") refuse(schema, "the extension type '" + value + "' has no place here");
  });
  if (schema.dictionary != nullptr) return import_dictionary_type(schema);
  std::string_view format = schema.format;
  if (format.starts_with("d:")) return import_decimal(schema, format.substr(2));
  if (format.starts_with("+w:")) {
    DataType type = simple(TypeId::array);
    type.width = parse_whole(schema, format.substr(3));
    type.children = import_item(schema, depth);
    return type;
  }
  if (format.size() >= 4 && format.starts_with("ts") && format[3] == ':') {
    DataType type = simple(TypeId::datetime);
    type.unit = import_unit(schema, format[2]);
    type.zone = format.substr(4);
    return type;
  }
  if (format.size() == 3 && format.starts_with("tD")) {
    DataType type = simple(TypeId::duration);
    type.unit = import_unit(schema, format[2]);
    return type;
  }
  return import_plain_type(schema, depth);
}

std::string export_format(const DataType& type) {
  char unit = kUnitLetters[static_cast<int>(type.unit)];
  switch (type.id) {
    case TypeId::decimal: return "d:" + std::to_string(type.precision) + "," + std::to_string(type.scale);
    case TypeId::datetime: return std::string("ts") + unit + ":" + type.zone;
    case TypeId::duration: return std::string("tD") + unit;
    case TypeId::array: return "+w:" + std::to_string(type.width);
    case TypeId::categorical:
    case TypeId::enumeration: return type.index_bytes == 1 ? "C" : type.index_bytes == 2 ? "S" : "I";
    default: break;
  }
  for (const PlainFormat& plain : kPlainFormats) {
    if (plain.id == type.id) return plain.format;
  }
  fail(ErrorKind::internal, "a dtype without an Arrow format");
}

void release_schema(ArrowSchema* schema);

// What an exported field points into. Fields of its own are released with it unless somebody moved them out.
struct ExportedField {
  std::string format, name, metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
  ArrowSchema dictionary{};

  ~ExportedField() {
    for (ArrowSchema& child : children) release_schema(&child);
    release_schema(&dictionary);
  }
};

void release_schema(ArrowSchema* schema) {
  if (schema->release != nullptr) schema->release(schema);
}

void release_exported(ArrowSchema* schema) {
  delete static_cast<ExportedField*>(schema->private_data);
  schema->release = nullptr;
}

// Arrow wants the entries of a map and their keys to be without nulls.
void export_inner_fields(const DataType& type, ExportedField* exported) {
  if (!type.is_nested()) return;
  exported->children.resize(type.children->size());
  for (size_t i = 0; i < exported->children.size(); ++i) {
    export_field((*type.children)[i], &exported->children[i]);
    exported->pointers.push_back(&exported->children[i]);
  }
  if (type.id == TypeId::map) {
    ArrowSchema& entries = exported->children[0];
    entries.flags = 0;
    entries.children[0]->flags = 0;
  }
}

}  // namespace

DataType import_type(const ArrowSchema& schema) { return import_type_at(schema, 0); }

void export_field(const Field& field, ArrowSchema* out) {
  auto exported = std::make_unique<ExportedField>();
  const DataType& type = field.type;
  exported->format = export_format(type);
  exported->name = field.name;
  bool has_dictionary = type.id == TypeId::categorical || type.id == TypeId::enumeration;
  if (!type.metadata_key.empty()) exported->metadata = encode_metadata(type.metadata_key, type.metadata_value);
  if (has_dictionary) export_field({"", simple(TypeId::string)}, &exported->dictionary);
  export_inner_fields(type, exported.get());
  *out = ArrowSchema{};
  out->format = exported->format.c_str();
  out->name = exported->name.c_str();
  out->metadata = exported->metadata.empty() ? nullptr : exported->metadata.data();
  out->flags = kNullable | (type.id == TypeId::enumeration ? kOrdered : 0);
  out->n_children = static_cast<int64_t>(exported->children.size());
  out->children = exported->pointers.empty() ? nullptr : exported->pointers.data();
  out->dictionary = has_dictionary ? &exported->dictionary : nullptr;
  out->release = release_exported;
  out->private_data = exported.release();
}

}  // namespace frazil::columns
