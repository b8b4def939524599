// The cards of a Netrunner observation, found by their cid.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/json.h"

namespace openseat::agent_api::netrunner {

class Cards {
 public:
  // `observation` outlives it.
  explicit Cards(const json::Value& observation);

  // nullptr if no card with that cid is seen.
  const json::Object* Find(std::string_view cid) const;
  // Its title, or "a facedown card".
  std::string Title(std::string_view cid) const;

 private:
  void Add(const json::Value& value);

  std::map<std::string_view, const json::Object*, std::less<>> by_cid_;
};

}  // namespace openseat::agent_api::netrunner
