// One dictionary for columns that came with several: of strings, or the categories of categoricals.
#pragma once

#include "primitives/move.hpp"

namespace frazil::primitives {

std::shared_ptr<const Column> longest_dictionary(std::span<const Column> pieces);

// Dictionaries only grow, so a prefix gives its codes the same meaning.
bool is_same_or_prefix(const std::shared_ptr<const Column>& shorter, const std::shared_ptr<const Column>& longer);

// Gives plain categorical columns the same categories; codes are mapped where they must be.
void unite_dictionaries(std::vector<Column>* pieces, const memory::PoolPtr& pool);

}  // namespace frazil::primitives
