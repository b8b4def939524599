// Which era a message belongs to, and whether its envelope and headers are valid: everything that is checked before the
// method is looked at. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/json.h"
#include "protocols/mcp/message.h"
#include "protocols/mcp/protocol.h"

namespace openseat::mcp {

// The headers of the request that brought a message, unchanged; nullopt: absent. Over stdio there are no headers.
struct HeaderView {
  std::optional<std::string_view> version;
  std::optional<std::string_view> method;
  std::optional<std::string_view> name;
};

// How to interpret a message.
struct Envelope {
  Era era = Era::kLegacy;
  std::string version;        // modern: the request's; legacy: the header's, "" if it has none
  json::Object capabilities;  // modern: the client's (UsedCapabilities)
  std::string log_level;      // modern: the lowest level of logs that it wants; "": none
};

// `headers` is null over stdio, where no header is checked. Errors, the first that applies: kInvalidParams (the
// envelope), kHeaderMismatch, kUnsupportedVersion, kInvalidRequest (an unknown legacy revision), all 400.
tl::expected<Envelope, Failure> ReadEnvelope(const Message& message, const HeaderView* headers);

// The value that a header carries: literal, or "=?base64?…?=" decoded. nullopt if the encoding is broken.
std::optional<std::string> DecodeHeaderValue(std::string_view value);

// Without spaces and tabs at both ends.
std::string_view TrimHeader(std::string_view value);

// Of what a client declares, only what is looked at here: the rest may be large, and is not kept.
json::Object UsedCapabilities(const json::Object& declared);

// The revision to answer `initialize` with.
std::string_view NegotiateLegacy(std::string_view requested);

// The value that Mcp-Name repeats; nullopt if the method needs none.
std::optional<std::string> NameOf(const Message& message);

}  // namespace openseat::mcp
