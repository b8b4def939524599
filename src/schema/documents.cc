#include "schema/documents.h"

#include <utility>

namespace openseat::schema {

void Documents::Add(std::string_view uri, json::Value document) {
  uri = uri.substr(0, uri.find('#'));
  documents_.insert_or_assign(std::string(uri), std::make_shared<const json::Value>(std::move(document)));
}

std::shared_ptr<const json::Value> Documents::Find(std::string_view uri) const {
  const auto found = documents_.find(uri.substr(0, uri.find('#')));
  return found == documents_.end() ? nullptr : found->second;
}

}  // namespace openseat::schema
