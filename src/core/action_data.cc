#include "core/action_data.h"

namespace openseat {

void FillInData(const Action& action, json::Value& data) {
  if (!action.schema) {
    data = nullptr;
  } else if (data.is_null()) {
    const json::Value none = json::Object();
    const bool null_alone = action.compiled && action.compiled->IsValid(data) && !action.compiled->IsValid(none);
    if (!null_alone) data = none;
  }
}

}  // namespace openseat
