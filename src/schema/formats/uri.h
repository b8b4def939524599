// URIs for JSON Schema: splitting, resolving against a base (RFC 3986, section 5.2), JSON pointers in
// fragments, and the checks for the formats "uri", "uri-reference", "iri" and "iri-reference".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace openseat::schema {

// The five components of RFC 3986, appendix B. An absent component differs from an empty one; a path is never absent.
struct UriParts {
  std::optional<std::string_view> scheme;
  std::optional<std::string_view> authority;
  std::string_view path;
  std::optional<std::string_view> query;
  std::optional<std::string_view> fragment;
};

// Never fails: any text splits somehow. The parts are views into `uri`.
UriParts SplitUri(std::string_view uri);
// `reference` relative to `base`; `base` may be empty or relative itself.
std::string ResolveUri(std::string_view base, std::string_view reference);
// The URI up to its fragment, and the fragment without "#" ("" if there is none).
std::string_view WithoutFragment(std::string_view uri);
std::string_view FragmentOf(std::string_view uri);
// Replaces %XX with the byte; a malformed escape is unchanged.
std::string PercentDecode(std::string_view text);

// Appends one JSON pointer token, with its "/", escaped by RFC 6901.
void AppendPointerToken(std::string& pointer, std::string_view token);
// "/a/b~1c" -> {"a", "b/c"}; "" -> {}; nullopt if the text is not a JSON pointer.
std::optional<std::vector<std::string>> SplitPointer(std::string_view pointer);

// Whether the text is a URI (with a scheme) or a URI reference by RFC 3986; with `international`, by RFC 3987.
bool IsUri(std::string_view text, bool international);
bool IsUriReference(std::string_view text, bool international);

}  // namespace openseat::schema
