// FakeData: data for an action that looks like what a player would send and that the action's schema accepts.
//
// It is schema::Generate with proposals: property names, `format` and the action's name suggest what a value is about
// (fake_kind.h), and the words come from @faker-js/faker (fake_words.h). What the schema does not accept is drawn as
// Generate draws it.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "base/rng.h"
#include "schema/schema.h"

namespace openseat::checker {

// A value for which schema.IsValid holds. The same schema, name and state of `rng` give the same value. Succeeds
// whenever schema::Generate does with this state of `rng`; errors are Generate's.
Result<json::Value> FakeData(const schema::Schema& schema, std::string_view action_name, Rng& rng);

}  // namespace openseat::checker
