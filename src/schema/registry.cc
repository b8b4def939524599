#include "schema/registry.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "schema/measure.h"
#include "schema/metaschema.h"
#include "schema/uri.h"

namespace openseat::schema {
namespace {

std::string_view KeyOf(const boost::json::key_value_pair& member) {
  return {member.key().data(), member.key().size()};
}

std::string Child(const std::string& pointer, std::string_view token) {
  std::string out = pointer;
  AppendPointerToken(out, token);
  return out;
}

std::string_view TextOf(const json::Object& object, std::string_view name) {
  const json::Value* value = json::Find(object, name);
  return value != nullptr && value->is_string() ? json::View(value->get_string()) : std::string_view();
}

// Older drafts, by the URIs that schemas in the wild name. Their schemas are read as 2020-12 ones.
bool IsOlderDraft(std::string_view uri) {
  return uri.starts_with("http://json-schema.org/") || uri.starts_with("https://json-schema.org/draft/2019-09/");
}

}  // namespace

Result<bool> Registry::Load(const json::Value& source) {
  const Result<std::uint32_t> root = AddDocument(source, options_.base_uri, "");
  if (!root) return Fail(root.error());
  // References may bring in documents, and those more references.
  for (std::size_t i = 0; i < pending_references_.size(); ++i) {
    const PendingReference pending = pending_references_[i];
    if (const Result<bool> resolved = Resolve(pending); !resolved) return resolved;
  }
  return true;
}

Result<std::uint32_t> Registry::AddDocument(const json::Value& root, const std::string& uri,
                                            const std::string& pointer_prefix) {
  const CompileLimits& limits = options_.limits;
  const Measure measure = MeasureValue(root, {limits.max_bytes, limits.max_nodes, limits.max_depth});
  const auto too_large = [&](const char* what, std::size_t most) {
    return Fail(ErrorCode::kTooLarge, "the schema is too large: at most " + std::to_string(most) + " " + what,
                pointer_prefix);
  };
  if (measure.bytes > limits.max_bytes) return too_large("bytes", limits.max_bytes);
  if (measure.nodes > limits.max_nodes) return too_large("JSON values", limits.max_nodes);
  if (measure.depth > limits.max_depth) return too_large("levels of nesting", limits.max_depth);
  if (!root.is_object() && !root.is_bool()) {
    return Fail(ErrorCode::kSchema, "a schema must be an object or a boolean; got " + Brief(root), pointer_prefix);
  }
  static const json::Object kEmpty;
  const json::Object& object = root.is_object() ? root.get_object() : kEmpty;
  const std::string base(WithoutFragment(uri));
  Result<std::uint32_t> resource = OpenResource(object, root, base, kStandardVocabularies, pointer_prefix);
  if (!resource) return resource;
  by_uri_.try_emplace(base, *resource);  // also by where it was found, whatever its $id says
  if (const Result<bool> walked = Walk(root, *resource, pointer_prefix); !walked) return Fail(walked.error());
  return resource;
}

Result<std::uint32_t> Registry::OpenResource(const json::Object& schema, const json::Value& root, std::string uri,
                                             std::uint8_t inherited, const std::string& pointer) {
  if (const json::Value* id = json::Find(schema, "$id")) {
    if (const auto wrong = CheckShape(*FindKeyword("$id"), *id)) {
      return Fail(ErrorCode::kSchema, "`$id` " + *wrong, Child(pointer, "$id"));
    }
    uri = WithoutFragment(ResolveUri(uri, json::View(id->get_string())));
  }
  Resource resource;
  resource.uri = std::move(uri);
  resource.root = &root;
  resource.vocabularies = inherited;
  if (const json::Value* meta = json::Find(schema, "$schema")) {
    const Result<std::uint8_t> vocabularies = VocabulariesOf(*meta, inherited, Child(pointer, "$schema"));
    if (!vocabularies) return Fail(vocabularies.error());
    resource.vocabularies = *vocabularies;
  }
  const auto index = static_cast<std::uint32_t>(resources_.size());
  const auto [at, is_new] = by_uri_.try_emplace(resource.uri, index);
  if (!is_new && !resource.uri.empty()) {
    return Fail(ErrorCode::kSchema, "two schemas have the same URI \"" + resource.uri + "\"", Child(pointer, "$id"));
  }
  resources_.push_back(std::move(resource));
  return index;
}

Result<std::uint8_t> Registry::VocabulariesOf(const json::Value& meta_schema_uri, std::uint8_t inherited,
                                              const std::string& pointer) const {
  if (const auto wrong = CheckShape(*FindKeyword("$schema"), meta_schema_uri)) {
    return Fail(ErrorCode::kSchema, "`$schema` " + *wrong, pointer);
  }
  const std::string_view uri = WithoutFragment(json::View(meta_schema_uri.get_string()));
  if (uri == kDraftUri || IsOlderDraft(uri)) return kStandardVocabularies;
  std::shared_ptr<const json::Value> meta = FindMetaSchema(uri);
  if (meta == nullptr && options_.documents != nullptr) meta = options_.documents->Find(uri);
  if (meta == nullptr) {
    return Fail(ErrorCode::kUnsupported, "the schema's `$schema` \"" + std::string(uri) + "\" is not known", pointer);
  }
  const json::Value* vocabularies = json::Find(*meta, "$vocabulary");
  if (vocabularies == nullptr || !vocabularies->is_object()) return inherited;
  std::uint8_t active = kCore;
  for (const auto& member : vocabularies->get_object()) {
    if (const auto known = VocabularyOf(KeyOf(member))) {
      active |= *known;
    } else if (member.value().is_bool() && member.value().get_bool()) {
      return Fail(ErrorCode::kUnsupported,
                  "the schema requires the vocabulary \"" + std::string(KeyOf(member)) + "\", which is not known",
                  pointer);
    }
  }
  return active;
}

Result<bool> Registry::Walk(const json::Value& schema, std::uint32_t resource, const std::string& pointer) {
  std::vector<Pending> open{{&schema, resource, pointer}};
  // First in, first out: errors are found nearest to the root first.
  for (std::size_t i = 0; i < open.size(); ++i) {
    const Pending pending = std::move(open[i]);
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
  std::uint32_t resource = pending.resource;
  const json::Object* object = pending.schema->if_object();
  if (object == nullptr) {
    locations_.emplace(pending.schema, Location{resource, pending.pointer});
    return true;
  }
  if (pending.schema != resources_[resource].root && json::Find(*object, "$id") != nullptr) {
    Result<std::uint32_t> own = OpenResource(*object, *pending.schema, resources_[resource].uri,
                                             resources_[resource].vocabularies, pending.pointer);
    if (!own) return Fail(own.error());
    resource = *own;
  }
  locations_.emplace(pending.schema, Location{resource, pending.pointer});
  if (const Result<bool> added = AddAnchors(*pending.schema, resource, pending.pointer); !added) return added;

  for (const auto& member : *object) {
    const std::string_view name = KeyOf(member);
    const json::Value& value = member.value();
    const KeywordInfo* keyword = FindKeyword(name);
    if (keyword == nullptr) continue;
    std::uint8_t vocabularies = resources_[resource].vocabularies;
    if ((vocabularies & kFormatAssertion) != 0) vocabularies |= kFormatAnnotation;
    if ((keyword->vocabulary & vocabularies) == 0) continue;
    const std::string at = Child(pending.pointer, name);
    if (const auto wrong = CheckShape(*keyword, value)) {
      return Fail(ErrorCode::kSchema, "`" + std::string(name) + "` " + *wrong, at);
    }
    switch (keyword->shape) {
      case Shape::kSchema:
        open.push_back({&value, resource, at});
        break;
      case Shape::kSchemaArray: {
        std::size_t index = 0;
        for (const json::Value& item : value.get_array()) {
          open.push_back({&item, resource, Child(at, std::to_string(index++))});
        }
        break;
      }
      case Shape::kSchemaMap:
      case Shape::kPatternMap:
      case Shape::kDependencies:
        for (const auto& child : value.get_object()) {
          if (!child.value().is_array()) open.push_back({&child.value(), resource, Child(at, KeyOf(child))});
        }
        break;
      default:
        break;
    }
    if (name == "$ref" || name == "$dynamicRef") {
      pending_references_.push_back({&value, resource, at, name == "$dynamicRef"});
    }
  }
  return true;
}

Result<bool> Registry::AddAnchors(const json::Value& schema, std::uint32_t resource, const std::string& pointer) {
  const json::Object& object = schema.get_object();
  for (const char* keyword : {"$anchor", "$dynamicAnchor"}) {
    const std::string name(TextOf(object, keyword));
    if (name.empty()) continue;
    Resource& owner = resources_[resource];
    const auto [at, is_new] = owner.anchors.try_emplace(name, &schema);
    if (!is_new && at->second != &schema) {
      return Fail(ErrorCode::kSchema, "the anchor \"" + name + "\" stands twice", Child(pointer, keyword));
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
                "the reference " + Brief(*pending.value) + " leads to \"" + uri + "\", a schema that is not known here",
                pending.pointer);
  }
  documents_.push_back(document);
  return AddDocument(*document, uri, uri + "#");
}

Result<bool> Registry::Resolve(const PendingReference& pending) {
  const std::string uri = ResolveUri(resources_[pending.resource].uri, json::View(pending.value->get_string()));
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
                  "the reference " + Brief(*pending.value) + " leads to no anchor \"" + fragment + "\"",
                  pending.pointer);
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
    return Fail(ErrorCode::kSchema, "the reference " + Brief(*pending.value) + " leads nowhere", pending.pointer);
  };
  const auto tokens = SplitPointer(pointer);
  if (!tokens) return nowhere();
  const json::Value* at = resources_[resource].root;
  std::string where = LocationOf(*at).pointer;
  for (const std::string& token : *tokens) {
    if (const json::Object* object = at->if_object()) {
      at = json::Find(*object, token);
    } else if (const json::Array* array = at->if_array()) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
      const bool good =
          error == std::errc() && end == token.data() + token.size() && (token.size() == 1 || token[0] != '0');
      at = good && index < array->size() ? &(*array)[index] : nullptr;
    } else {
      at = nullptr;
    }
    if (at == nullptr) return nowhere();
    AppendPointerToken(where, token);
    if (const auto known = locations_.find(at); known != locations_.end()) resource = known->second.resource;
  }
  if (!at->is_object() && !at->is_bool()) {
    return Fail(ErrorCode::kSchema,
                "the reference " + Brief(*pending.value) + " leads to " + Brief(*at) + ", which is no schema",
                pending.pointer);
  }
  // A place that no keyword knows as a schema becomes one by being referred to.
  if (const Result<bool> walked = Walk(*at, resource, where); !walked) return Fail(walked.error());
  return at;
}

}  // namespace openseat::schema
