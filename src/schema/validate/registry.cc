#include "schema/validate/registry.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "schema/formats/uri.h"
#include "schema/measure.h"
#include "schema/validate/metaschema.h"

namespace openseat::schema {
namespace {

constexpr std::size_t kMaxUriBytes = 4096;
// Looking at each keyword of a subschema; following a reference.
constexpr std::uint64_t kStepsOfSchema = 40;

// Older drafts, by the URIs that real-world schemas use. Their schemas are read as 2020-12.
bool IsOlderDraft(std::string_view uri) {
  return uri.starts_with("http://json-schema.org/") || uri.starts_with("https://json-schema.org/draft/2019-09/");
}

}  // namespace

std::optional<Error> SizeError(const Measure& measure, const CompileLimits& limits) {
  const auto too_large = [](const char* what, std::size_t most) {
    return Error{ErrorCode::kTooLarge, "the schema is too large: at most " + std::to_string(most) + " " + what, {}};
  };
  if (measure.bytes > limits.max_bytes) return too_large("bytes", limits.max_bytes);
  if (measure.nodes > limits.max_nodes) return too_large("JSON values", limits.max_nodes);
  if (measure.depth > limits.max_depth) return too_large("levels of nesting", limits.max_depth);
  return std::nullopt;
}

Result<bool> Registry::Load(const json::Value& source) {
  const Result<std::uint32_t> root = AddDocument(source, options_.base_uri, paths_.AddRoot(""));
  if (!root) return Fail(root.error());
  // References may add documents, and those more references.
  for (std::size_t i = 0; i < pending_references_.size(); ++i) {
    const PendingReference pending = pending_references_[i];
    if (const Result<bool> resolved = Resolve(pending); !resolved) return resolved;
  }
  return true;
}

Result<std::uint32_t> Registry::AddDocument(const json::Value& root, const std::string& uri, PathId path) {
  const CompileLimits& limits = options_.limits;
  const Measure measure = MeasureValue(root, {limits.max_bytes, limits.max_nodes, limits.max_depth});
  if (std::optional<Error> error = SizeError(measure, limits)) {
    error->path = paths_.PointerOf(path);
    return Fail(std::move(*error));
  }
  if (!budget_.Spend(measure.nodes)) return Fail(budget_.Exceeded("be compiled"));
  if (!root.is_object() && !root.is_bool()) {
    return Fail(ErrorCode::kSchema, "a schema must be an object or a boolean; got " + Brief(root),
                paths_.PointerOf(path));
  }
  static const json::Object kEmpty;
  const json::Object& object = root.is_object() ? root.get_object() : kEmpty;
  const std::string base(WithoutFragment(uri));
  Result<std::uint32_t> resource = OpenResource(object, root, base, kStandardVocabularies, path);
  if (!resource) return resource;
  by_uri_.try_emplace(base, *resource);  // also by where it was found, whatever its $id says
  if (const Result<bool> walked = Walk(root, *resource, path); !walked) return Fail(walked.error());
  return resource;
}

Result<std::uint32_t> Registry::OpenResource(const json::Object& schema, const json::Value& root, std::string uri,
                                             std::uint8_t inherited, PathId path) {
  if (const json::Value* id = json::Find(schema, "$id")) {
    if (const auto wrong = CheckShape(*FindKeyword("$id"), *id)) {
      return Fail(ErrorCode::kSchema, "`$id` " + *wrong, paths_.PointerOf(path, "$id"));
    }
    uri = WithoutFragment(ResolveUri(uri, json::View(id->get_string())));
  }
  // A long URI at the root is part of the URI of every $id inside.
  uri_bytes_ += uri.size();
  if (uri.size() > kMaxUriBytes || uri_bytes_ > options_.limits.max_bytes) {
    return Fail(ErrorCode::kTooLarge,
                "the schemas' URIs are too long: at most " + std::to_string(kMaxUriBytes) + " bytes each, and " +
                    std::to_string(options_.limits.max_bytes) + " in total",
                paths_.PointerOf(path, "$id"));
  }
  Resource resource;
  resource.uri = std::move(uri);
  resource.root = &root;
  resource.vocabularies = inherited;
  if (const json::Value* meta = json::Find(schema, "$schema")) {
    const Result<std::uint8_t> vocabularies = VocabulariesOf(*meta, inherited, path);
    if (!vocabularies) return Fail(vocabularies.error());
    resource.vocabularies = *vocabularies;
  }
  const auto index = static_cast<std::uint32_t>(resources_.size());
  const auto [at, is_new] = by_uri_.try_emplace(resource.uri, index);
  if (!is_new && !resource.uri.empty()) {
    return Fail(ErrorCode::kSchema, "two schemas have the same URI " + Quote(resource.uri),
                paths_.PointerOf(path, "$id"));
  }
  resources_.push_back(std::move(resource));
  return index;
}

Result<std::uint8_t> Registry::VocabulariesOf(const json::Value& meta_schema_uri, std::uint8_t inherited,
                                              PathId path) const {
  if (const auto wrong = CheckShape(*FindKeyword("$schema"), meta_schema_uri)) {
    return Fail(ErrorCode::kSchema, "`$schema` " + *wrong, paths_.PointerOf(path, "$schema"));
  }
  const std::string_view uri = WithoutFragment(json::View(meta_schema_uri.get_string()));
  if (uri == kDraftUri || IsOlderDraft(uri)) return kStandardVocabularies;
  std::shared_ptr<const json::Value> meta = FindMetaSchema(uri);
  if (meta == nullptr && options_.documents != nullptr) meta = options_.documents->Find(uri);
  if (meta == nullptr) {
    return Fail(ErrorCode::kUnsupported, "the schema's `$schema` " + Quote(uri) + " is unknown",
                paths_.PointerOf(path, "$schema"));
  }
  const json::Value* vocabularies = json::Find(*meta, "$vocabulary");
  if (vocabularies == nullptr || !vocabularies->is_object()) return inherited;
  std::uint8_t active = kCore;
  for (const auto& member : vocabularies->get_object()) {
    if (const auto known = VocabularyOf(json::KeyOf(member))) {
      active |= *known;
    } else if (member.value().is_bool() && member.value().get_bool()) {
      return Fail(ErrorCode::kUnsupported,
                  "the schema requires the vocabulary " + Quote(json::KeyOf(member)) + ", which is unknown",
                  paths_.PointerOf(path, "$schema"));
    }
  }
  return active;
}

Result<bool> Registry::Walk(const json::Value& schema, std::uint32_t resource, PathId path) {
  std::vector<Pending> open{{&schema, resource, path}};
  // First in, first out: errors nearest to the root are found first.
  for (std::size_t i = 0; i < open.size(); ++i) {
    const Pending pending = open[i];
    if (const Result<bool> visited = Visit(pending, open); !visited) return visited;
  }
  return true;
}

Result<bool> Registry::Visit(const Pending& pending, std::vector<Pending>& open) {
  if (locations_.contains(pending.schema)) return true;
  if (locations_.size() >= options_.limits.max_nodes) {
    return Fail(ErrorCode::kTooLarge, "the schema and the documents it refers to have too many subschemas: at most " +
                                          std::to_string(options_.limits.max_nodes));
  }
  if (!budget_.Spend(kStepsOfSchema)) return Fail(budget_.Exceeded("be compiled"));
  std::uint32_t resource = pending.resource;
  const json::Object* object = pending.schema->if_object();
  if (object == nullptr) {
    locations_.emplace(pending.schema, Location{resource, pending.path});
    return true;
  }
  if (pending.schema != resources_[resource].root && json::Find(*object, "$id") != nullptr) {
    Result<std::uint32_t> own = OpenResource(*object, *pending.schema, resources_[resource].uri,
                                             resources_[resource].vocabularies, pending.path);
    if (!own) return Fail(own.error());
    resource = *own;
  }
  locations_.emplace(pending.schema, Location{resource, pending.path});
  if (const Result<bool> added = AddAnchors(*pending.schema, resource, pending.path); !added) return added;

  for (const auto& member : *object) {
    const std::string_view name = json::KeyOf(member);
    const json::Value& value = member.value();
    const KeywordInfo* keyword = FindKeyword(name);
    if (keyword == nullptr) continue;
    std::uint8_t vocabularies = resources_[resource].vocabularies;
    if ((vocabularies & kFormatAssertion) != 0) vocabularies |= kFormatAnnotation;
    if ((keyword->vocabulary & vocabularies) == 0) continue;
    if (const auto wrong = CheckShape(*keyword, value)) {
      return Fail(ErrorCode::kSchema, "`" + std::string(name) + "` " + *wrong, paths_.PointerOf(pending.path, name));
    }
    switch (keyword->shape) {
      case Shape::kSchema:
        open.push_back({&value, resource, paths_.Add(pending.path, name)});
        break;
      case Shape::kSchemaArray: {
        const PathId list = paths_.Add(pending.path, name);
        std::size_t index = 0;
        for (const json::Value& item : value.get_array()) {
          open.push_back({&item, resource, paths_.Add(list, index++)});
        }
        break;
      }
      case Shape::kSchemaMap:
      case Shape::kPatternMap:
      case Shape::kDependencies: {
        const PathId map = paths_.Add(pending.path, name);
        for (const auto& child : value.get_object()) {
          if (!child.value().is_array())
            open.push_back({&child.value(), resource, paths_.Add(map, json::KeyOf(child))});
        }
        break;
      }
      default:
        break;
    }
    if (name == "$ref" || name == "$dynamicRef") {
      pending_references_.push_back({&value, resource, pending.path, name == "$dynamicRef"});
    }
  }
  return true;
}

Result<bool> Registry::AddAnchors(const json::Value& schema, std::uint32_t resource, PathId path) {
  const json::Object& object = schema.get_object();
  for (const char* keyword : {"$anchor", "$dynamicAnchor"}) {
    const std::string name(json::TextOf(object, keyword));
    if (name.empty()) continue;
    Resource& owner = resources_[resource];
    const auto [at, is_new] = owner.anchors.try_emplace(name, &schema);
    if (!is_new && at->second != &schema) {
      return Fail(ErrorCode::kSchema, "the anchor " + Quote(name) + " appears twice", paths_.PointerOf(path, keyword));
    }
    if (std::string_view(keyword) == "$dynamicAnchor") owner.dynamic_anchors.emplace(name, &schema);
  }
  return true;
}

Result<std::uint32_t> Registry::FindResource(const std::string& uri, const PendingReference& pending) {
  if (const auto found = by_uri_.find(uri); found != by_uri_.end()) return found->second;
  std::shared_ptr<const json::Value> document = FindMetaSchema(uri);
  if (document == nullptr && options_.documents != nullptr) document = options_.documents->Find(uri);
  if (document == nullptr) {
    return Fail(ErrorCode::kSchema,
                "the reference " + Brief(*pending.value) + " leads to " + Quote(uri) + ", which is not a known schema",
                PointerOf(pending));
  }
  documents_.push_back(document);
  return AddDocument(*document, uri, paths_.AddRoot(uri + "#"));
}

Result<bool> Registry::Resolve(const PendingReference& pending) {
  const std::string_view written = json::View(pending.value->get_string());
  if (!budget_.Spend(kStepsOfSchema + written.size() * 2 + resources_[pending.resource].uri.size())) {
    return Fail(budget_.Exceeded("be compiled"));
  }
  const std::string uri = ResolveUri(resources_[pending.resource].uri, written);
  const Result<std::uint32_t> found = FindResource(std::string(WithoutFragment(uri)), pending);
  if (!found) return Fail(found.error());
  const std::string fragment = PercentDecode(FragmentOf(uri));
  Reference reference;
  if (fragment.empty() || fragment[0] == '/') {
    const Result<const json::Value*> target = FollowPointer(*found, fragment, pending);
    if (!target) return Fail(target.error());
    reference.target = *target;
  } else {
    const Resource& resource = resources_[*found];
    const auto anchor = resource.anchors.find(fragment);
    if (anchor == resource.anchors.end()) {
      return Fail(ErrorCode::kSchema,
                  "the reference " + Brief(*pending.value) + " leads to the unknown anchor " + Quote(fragment),
                  PointerOf(pending));
    }
    reference.target = anchor->second;
    if (pending.dynamic && resource.dynamic_anchors.contains(fragment)) {
      reference.dynamic_anchor = fragment;
      has_dynamic_references_ = true;
    }
  }
  references_.emplace(pending.value, std::move(reference));
  return true;
}

Result<const json::Value*> Registry::FollowPointer(std::uint32_t resource, std::string_view pointer,
                                                   const PendingReference& pending) {
  const auto nowhere = [&] {
    return Fail(ErrorCode::kSchema, "the reference " + Brief(*pending.value) + " has no target", PointerOf(pending));
  };
  const auto tokens = SplitPointer(pointer);
  if (!tokens) return nowhere();
  const json::Value* at = resources_[resource].root;
  PathId where = LocationOf(*at).path;
  for (const std::string& token : *tokens) {
    std::optional<PathId> next;
    if (const json::Object* object = at->if_object()) {
      const auto* const member = object->find(token);
      at = member != object->end() ? &member->value() : nullptr;
      if (at != nullptr) next = paths_.Add(where, json::KeyOf(*member));
    } else if (const json::Array* array = at->if_array()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
      const bool good =
          error == std::errc() && end == token.data() + token.size() && (token.size() == 1 || token[0] != '0');
      at = good && index < array->size() ? &(*array)[index] : nullptr;
      if (at != nullptr) next = paths_.Add(where, index);
    } else {
      at = nullptr;
    }
    if (!next) return nowhere();
    where = *next;
    if (const auto known = locations_.find(at); known != locations_.end()) resource = known->second.resource;
  }
  if (!at->is_object() && !at->is_bool()) {
    return Fail(ErrorCode::kSchema,
                "the reference " + Brief(*pending.value) + " leads to " + Brief(*at) + ", which is not a schema",
                PointerOf(pending));
  }
  // A place that no keyword defines as a schema becomes one by being referenced.
  if (const Result<bool> walked = Walk(*at, resource, where); !walked) return Fail(walked.error());
  return at;
}

}  // namespace openseat::schema
