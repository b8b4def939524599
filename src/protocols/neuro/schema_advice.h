// What makes a valid schema hard to follow for a language model: the rules behind kSchemaConfusing. Used only by
// action_check.cc.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schema/inspect.h"

namespace openseat::neuro {

// Sentences without a period, in the schema's order, at most `max_reasons`; empty if nothing stands out. REQUIRES that
// what was inspected still exists.
std::vector<std::string> ConfusingParts(const schema::Inspection& inspection, std::size_t max_reasons);

}  // namespace openseat::neuro
