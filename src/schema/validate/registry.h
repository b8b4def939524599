// Registry: the first pass over a schema. Walks the source and every document that it refers to, checks each keyword's
// form, finds the schema resources ($id), anchors and vocabularies, and resolves every reference. The compiler then
// only looks things up. Nothing here recurses.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "schema/keywords.h"
#include "schema/measure.h"
#include "schema/paths.h"
#include "schema/schema.h"

namespace openseat::schema {

// A schema with its own URI: a document's root, or a subschema with $id.
struct Resource {
  std::string uri;
  const json::Value* root = nullptr;
  std::uint8_t vocabularies = kStandardVocabularies;
  std::map<std::string, const json::Value*, std::less<>> anchors;          // $anchor and $dynamicAnchor
  std::map<std::string, const json::Value*, std::less<>> dynamic_anchors;  // $dynamicAnchor only
};

// The location of a subschema.
struct Location {
  std::uint32_t resource = 0;
  PathId path{};  // the pointer is "<uri>#…" in any document but the source
};

struct Reference {
  const json::Value* target = nullptr;
  // The name of the $dynamicAnchor of the target, if the reference is a $dynamicRef that must search
  // the dynamic scope; empty for all others.
  std::string dynamic_anchor;
};

// kTooLarge if a document of that size is too large.
std::optional<Error> SizeError(const Measure& measure, const CompileLimits& limits);

class Registry {
 public:
  Registry(const CompileOptions& options, Budget& budget) : options_(options), budget_(budget) {}

  // REQUIRES `source` not to move while the registry exists. Call once.
  Result<bool> Load(const json::Value& source);

  const std::vector<Resource>& resources() const { return resources_; }
  const Location& LocationOf(const json::Value& schema) const { return locations_.at(&schema); }
  // REQUIRES `reference` to be the value of a $ref or $dynamicRef in a walked subschema.
  const Reference& ReferenceOf(const json::Value& reference) const { return references_.at(&reference); }
  bool has_dynamic_references() const { return has_dynamic_references_; }
  // In the source and all documents.
  const Paths& paths() const { return paths_; }
  Paths TakePaths() { return std::move(paths_); }
  // The documents besides the source, which the compiled schema must keep alive.
  std::vector<std::shared_ptr<const json::Value>> TakeDocuments() { return std::move(documents_); }

 private:
  struct Pending {
    const json::Value* schema;
    std::uint32_t resource;
    PathId path;
  };
  struct PendingReference {
    const json::Value* value;
    std::uint32_t resource;
    PathId path;  // of its subschema
    bool dynamic;
  };

  Result<std::uint32_t> AddDocument(const json::Value& root, const std::string& uri, PathId path);
  Result<bool> Walk(const json::Value& schema, std::uint32_t resource, PathId path);
  Result<bool> Visit(const Pending& pending, std::vector<Pending>& open);
  Result<std::uint32_t> OpenResource(const json::Object& schema, const json::Value& root, std::string uri,
                                     std::uint8_t inherited, PathId path);
  Result<std::uint8_t> VocabulariesOf(const json::Value& meta_schema_uri, std::uint8_t inherited, PathId path) const;
  Result<bool> AddAnchors(const json::Value& schema, std::uint32_t resource, PathId path);
  Result<bool> Resolve(const PendingReference& pending);
  Result<const json::Value*> FollowPointer(std::uint32_t resource, std::string_view pointer,
                                           const PendingReference& pending);
  Result<std::uint32_t> FindResource(const std::string& uri, const PendingReference& pending);

  std::string PointerOf(const PendingReference& pending) const {
    return paths_.PointerOf(pending.path, pending.dynamic ? "$dynamicRef" : "$ref");
  }

  const CompileOptions& options_;
  Budget& budget_;
  Paths paths_;
  std::size_t uri_bytes_ = 0;  // of all resources
  std::vector<Resource> resources_;
  std::map<std::string, std::uint32_t, std::less<>> by_uri_;
  std::unordered_map<const json::Value*, Location> locations_;
  std::unordered_map<const json::Value*, Reference> references_;
  std::vector<PendingReference> pending_references_;
  std::vector<std::shared_ptr<const json::Value>> documents_;
  bool has_dynamic_references_ = false;
};

}  // namespace openseat::schema
