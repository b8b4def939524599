// What makes a schema hard to follow for a language model although it is valid: the rules behind kSchemaConfusing. Used
// by action_check.cc alone.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "schema/inspect.h"

namespace openseat::neuro {

// Sentences without a full stop, in the schema's order, at most `max_reasons`; empty where nothing stands out.
// REQUIRES: `inspection` is schema::Inspect(source).
std::vector<std::string> ConfusingParts(const json::Value& source, const schema::Inspection& inspection,
                                        std::size_t max_reasons);

}  // namespace openseat::neuro
