// Documents: schemas that others may $ref, by absolute URI. A schema is never fetched from the network: only these
// documents and the built-in meta-schemas of JSON Schema 2020-12 can be referenced.
//
// Not synchronized: fill it first, then compile from any number of threads.
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
  // `uri` is absolute; a fragment is removed. Replaces an existing entry. Every schema that refers to the document
  // shares it and keeps it alive.
  void Add(std::string_view uri, json::Value document);
  // nullptr if there is none.
  std::shared_ptr<const json::Value> Find(std::string_view uri) const;

 private:
  std::map<std::string, std::shared_ptr<const json::Value>, std::less<>> documents_;
};

}  // namespace openseat::schema
