// Where a pipeline's batches come from.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "columns/column.hpp"
#include "execute/context.hpp"
#include "execute/parking.hpp"
#include "program/program.hpp"

namespace frazil::execute {

// What is known of rows before they are read. The physical layout of every column is the same in all batches.
struct Facts {
  int64_t rows = 0;
  std::vector<program::SourceColumn> columns;
};

// Of all rows a pipeline wants those alone whose whole number in a column lies within.
struct Restriction {
  int column;
  columns::Interval values;
};

class Source {
 public:
  virtual ~Source() = default;
  virtual const Facts& facts() const = 0;
  virtual int64_t tasks() const = 0;
  // Batch number `task`, with the columns of facts() and its ordinal.
  virtual columns::Batch read(Context& context, int64_t task) = 0;
  // Rows of the batches before a task's. An ordinal may be larger: rows that were left out count there.
  virtual int64_t rows_before(int64_t task) const = 0;
  // Leaves out what it can of the rows that nobody wants, before the first is read; facts() and tasks() are then of
  // the others, and their ordinals stay.
  virtual void restrict(Context&, std::span<const Restriction>) {}
  // What names these rows for good: equal keys mean equal rows while a source with that key is alive. Empty: nothing.
  virtual std::string key() const { return ""; }
  // All rows, where they lie in a device's memory; else null.
  virtual const columns::Batch* on_device() const { return nullptr; }
};

using SourcePtr = std::shared_ptr<Source>;

// Batches cut into morsels. Columns are brought to one layout: encodings stay where all batches agree. One batch in a
// device's memory stays there until somebody else reads it.
SourcePtr table_source(Context& context, const columns::Schema& schema, std::vector<columns::Batch> batches,
                       std::string key = "");
SourcePtr parked_source(Context& context, const columns::Schema& schema, std::vector<Parked> batches,
                        std::string key = "");

// Rows of a morsel of such columns: few enough that wide ones do not take much memory at a time.
int64_t morsel_rows(const columns::Schema& schema);

// The element that a program reads from a column's physical array.
program::Element element_of(const columns::Column& column);
columns::Physical physical_of(program::Element element);
program::SourceColumn describe(const std::string& name, const columns::Column& column);

}  // namespace frazil::execute
