// What makes a schema hard to follow for a language model although it is valid: the rules behind kSchemaConfusing. Used
// by action_check.cc alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "schema/inspect.h"

namespace openseat::neuro {

// Sentences without a full stop, in the schema's order, at most `max_reasons`; empty where nothing stands out.
// REQUIRES what was inspected to be there still.
std::vector<std::string> ConfusingParts(const schema::Inspection& inspection, std::size_t max_reasons);

}  // namespace openseat::neuro
