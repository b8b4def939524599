// Documents: schemas that others may $ref, by absolute URI. A schema is never fetched from the network: what is not
// here (and is no meta-schema of JSON Schema 2020-12, which the program brings along) cannot be referred to.
//
// Not synchronised: fill it first, then compile from as many threads as wanted.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"

namespace openseat::schema {

class Documents {
 public:
  // `uri` is absolute; a fragment is cut off. Replaces what stood there. The document is shared with every schema that
  // refers to it, and lives as long as one of them.
  void Add(std::string_view uri, json::Value document);
  // nullptr where there is none.
  std::shared_ptr<const json::Value> Find(std::string_view uri) const;

 private:
  std::map<std::string, std::shared_ptr<const json::Value>, std::less<>> documents_;
};

}  // namespace openseat::schema
