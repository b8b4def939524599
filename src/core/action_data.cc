#include "core/action_data.h"

namespace openseat {

void FillInData(const Action& action, json::Value& data, schema::Budget& budget) {
  if (!action.schema) {
    data = nullptr;
  } else if (data.is_null()) {
    const json::Value none = json::Object();
    const bool null_alone =
        action.compiled() && action.compiled()->IsValid(data, budget) && !action.compiled()->IsValid(none, budget);
    if (!null_alone) data = none;
  }
}

}  // namespace openseat
