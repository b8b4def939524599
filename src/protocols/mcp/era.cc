#include "protocols/mcp/era.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace openseat::mcp {
namespace {

bool LooksLikeVersion(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00";
  if (text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == '0' ? !digit : text[i] != kShape[i]) return false;
  }
  return true;
}

bool IsModern(std::string_view version) {
  return LooksLikeVersion(version) && version >= kModernVersion;
}

bool IsLegacy(std::string_view version) {
  return std::ranges::find(kLegacyVersions, version) != kLegacyVersions.end();
}

Failure Bad(int number, std::string message) {
  return {number, std::move(message), nullptr, 400};
}

std::string Quoted(std::string_view text) {
  return "'" + Ellipsize(text, kQuotedBytes) + "'";
}

Failure Mismatch(std::string_view header, std::optional<std::string_view> got, std::string_view expected) {
  const std::string name(header);
  if (!got) return Bad(code::kHeaderMismatch, "Header mismatch: the " + name + " header is required");
  return Bad(code::kHeaderMismatch, "Header mismatch: " + name + " header value " + Quoted(*got) +
                                        " does not match body value " + Quoted(expected));
}

}  // namespace

std::optional<std::string> NameOf(const Message& message) {
  if (message.method == "tools/call" || message.method == "prompts/get") {
    return FindText(message.params, "name").value_or("");
  }
  if (message.method == "resources/read") return FindText(message.params, "uri").value_or("");
  if (message.method == "tasks/get" || message.method == "tasks/update" || message.method == "tasks/cancel") {
    return FindText(message.params, "taskId").value_or("");
  }
  return std::nullopt;
}

namespace {

std::optional<Failure> CheckMethodHeaders(const Message& message, const HeaderView& headers) {
  if (!headers.method || TrimHeader(*headers.method) != message.method) {
    return Mismatch(kMethodHeader, headers.method, message.method);
  }
  const std::optional<std::string> name = NameOf(message);
  if (!name) return std::nullopt;
  if (!headers.name) return Mismatch(kNameHeader, std::nullopt, *name);
  const std::optional<std::string> decoded = DecodeHeaderValue(TrimHeader(*headers.name));
  if (!decoded) return Bad(code::kHeaderMismatch, "Header mismatch: the Mcp-Name header is not valid Base64");
  if (*decoded != *name) return Mismatch(kNameHeader, *decoded, *name);
  return std::nullopt;
}

tl::expected<Envelope, Failure> ReadModern(const Message& message, const json::Object& meta,
                                           const HeaderView* headers) {
  const std::optional<std::string> version = FindText(meta, kMetaVersion);
  if (!version) {
    return tl::unexpected(
        Bad(code::kInvalidParams, "Invalid params: _meta[\"" + std::string(kMetaVersion) + "\"] must be a string"));
  }
  const json::Object* capabilities = FindObject(meta, kMetaCapabilities);
  if (capabilities == nullptr) {
    return tl::unexpected(Bad(code::kInvalidParams, "Invalid params: _meta[\"" + std::string(kMetaCapabilities) +
                                                        "\"] must be an object; {} means that it has none"));
  }
  if (headers != nullptr && (!headers->version || TrimHeader(*headers->version) != *version)) {
    return tl::unexpected(Mismatch(kVersionHeader, headers->version, *version));
  }
  if (*version != kModernVersion) {
    Failure failure = Bad(code::kUnsupportedVersion, "Unsupported protocol version: " + *version);
    failure.data = json::Object{{"supported", json::Array{kModernVersion}}, {"requested", *version}};
    return tl::unexpected(std::move(failure));
  }
  if (headers != nullptr) {
    if (std::optional<Failure> failure = CheckMethodHeaders(message, *headers)) {
      return tl::unexpected(std::move(*failure));
    }
  }
  return Envelope{Era::kModern, *version, UsedCapabilities(*capabilities), FindText(meta, kMetaLogLevel).value_or("")};
}

}  // namespace

std::string_view TrimHeader(std::string_view value) {
  const std::size_t first = value.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return value.substr(first, value.find_last_not_of(" \t") - first + 1);
}

std::optional<std::string> DecodeHeaderValue(std::string_view value) {
  constexpr std::string_view kBegin = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (!value.starts_with(kBegin) || !value.ends_with(kEnd) || value.size() < kBegin.size() + kEnd.size()) {
    return std::string(value);
  }
  value = value.substr(kBegin.size(), value.size() - kBegin.size() - kEnd.size());
  if (value.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < value.size() && value[value.size() - 1 - padding] == '=') ++padding;
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : value.substr(0, value.size() - padding)) {
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6) | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>(static_cast<unsigned char>((bits >> held) & 0xFFu));
    }
  }
  // The remaining bits must be zero, or two texts would stand for one value.
  if ((bits & ((1u << held) - 1u)) != 0) return std::nullopt;
  return out;
}

json::Object UsedCapabilities(const json::Object& declared) {
  json::Object used;
  for (const char* name : {"elicitation", "roots", "sampling"}) {
    if (declared.contains(name)) used[name] = json::Object();
  }
  const json::Object* extensions = FindObject(declared, "extensions");
  if (extensions == nullptr) return used;
  json::Object known;
  if (extensions->contains(kTaskExtension)) known[kTaskExtension] = json::Object();
  if (const json::Object* views = FindObject(*extensions, kViewExtension)) {
    const json::Value* types = json::Find(*views, "mimeTypes");
    const bool draws = types != nullptr && types->is_array() &&
                       std::ranges::find(types->get_array(), json::Value(kViewMimeType)) != types->get_array().end();
    if (draws) known[kViewExtension] = json::Object();
  }
  if (!known.empty()) used["extensions"] = std::move(known);
  return used;
}

std::string_view NegotiateLegacy(std::string_view requested) {
  const auto found = std::ranges::find(kLegacyVersions, requested);
  return found == kLegacyVersions.end() ? kLegacyVersions.front() : *found;
}

tl::expected<Envelope, Failure> ReadEnvelope(const Message& message, const HeaderView* headers) {
  const std::string_view version =
      headers != nullptr && headers->version ? TrimHeader(*headers->version) : std::string_view();
  const json::Object* meta = FindObject(message.params, "_meta");
  const bool claims = meta != nullptr && meta->contains(kMetaVersion);
  if (message.kind == Message::Kind::kResponse) return Envelope{Era::kLegacy, std::string(version), {}, {}};
  if (message.kind == Message::Kind::kNotification) {
    return Envelope{claims || IsModern(version) ? Era::kModern : Era::kLegacy, std::string(version), {}, {}};
  }
  const bool claims_modern =
      claims && IsModern(FindText(*meta, kMetaVersion).value_or("")) && FindObject(*meta, kMetaCapabilities) != nullptr;
  if (message.method == "initialize" && !claims_modern) {
    if (IsModern(version)) {
      return tl::unexpected(Bad(code::kHeaderMismatch, "Header mismatch: " + std::string(version) +
                                                           " has no initialize; the versions that have are " +
                                                           std::string(kLegacyVersions.front()) + " and older"));
    }
    return Envelope{Era::kLegacy, std::string(version), {}, {}};
  }
  if (claims) return ReadModern(message, *meta, headers);
  if (IsModern(version)) {
    return tl::unexpected(Bad(code::kInvalidParams, "Invalid params: a request of " + std::string(version) +
                                                        " needs _meta with \"" + std::string(kMetaVersion) +
                                                        "\" and \"" + std::string(kMetaCapabilities) + "\""));
  }
  if (!version.empty() && !IsLegacy(version)) {
    return tl::unexpected(Bad(code::kInvalidRequest, "Bad request: unsupported protocol version " + Quoted(version) +
                                                         "; supported are " + std::string(kModernVersion) + ", and " +
                                                         std::string(kLegacyVersions.front()) + " down to " +
                                                         std::string(kLegacyVersions.back())));
  }
  return Envelope{Era::kLegacy, std::string(version), {}, {}};
}

}  // namespace openseat::mcp
