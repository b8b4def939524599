// Reads bytes as a game's WebSocket message. Reading never crashes and never stays silent, a message that was read can
// be written and read again with the same result, and every action that was read can be checked. The message is also
// cut in two, at a point that the fuzzer chooses, and both parts are read, since frames may end anywhere.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "protocols/neuro/action_check.h"
#include "protocols/neuro/codec.h"

namespace openseat::neuro {
namespace {

bool IsOneLineOfAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

// Compares schemas as JSON does: 1.0 is written as 1.
bool Same(const ClientMessage& a, const ClientMessage& b) {
  const auto* left = std::get_if<RegisterMessage>(&a.body);
  const auto* right = std::get_if<RegisterMessage>(&b.body);
  if (left == nullptr || right == nullptr) return a == b;
  return a.game == b.game &&
         std::ranges::equal(left->actions, right->actions, [](const ActionDefinition& x, const ActionDefinition& y) {
           return x.name == y.name && x.description == y.description && x.schema.has_value() == y.schema.has_value() &&
                  (!x.schema || json::Equal(*x.schema, *y.schema));
         });
}

void ReadBack(const ClientMessage& message) {
  std::string text;
  EncodeClient(message, text);
  OPENSEAT_CHECK(IsOneLineOfAscii(text), "our messages are one line of ASCII");
  const std::vector<Decoded> again = DecodeClient(text, {.json = {.max_bytes = text.size(), .max_depth = 256}});
  OPENSEAT_CHECK(again.size() == 1 && again.front().message.has_value(), "our messages can be read");
  OPENSEAT_CHECK(Same(*again.front().message, message), "our messages read back the same");
}

void Read(std::string_view text) {
  const DecodeLimits limits;
  const std::vector<Decoded> documents = DecodeClient(text, limits);
  OPENSEAT_CHECK(!documents.empty(), "every message has at least one document");
  for (const Decoded& decoded : documents) {
    bool invalid = false;
    for (const Issue& issue : decoded.issues) {
      invalid |= issue.diagnostic == Diagnostic::kInvalidMessage;
      OPENSEAT_CHECK(!issue.detail.empty(), "every issue says what it is about");
    }
    OPENSEAT_CHECK(decoded.message.has_value() != invalid, "a document is either read or reported as unreadable");
    if (!decoded.message) continue;
    ReadBack(*decoded.message);
    if (const auto* message = std::get_if<RegisterMessage>(&decoded.message->body)) {
      openseat::schema::Budget budget;
      for (const ActionDefinition& action : message->actions) CheckAction(action, budget);
    }
  }
}

}  // namespace
}  // namespace openseat::neuro

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  openseat::neuro::Read(text);
  if (size > 1) {
    const std::size_t cut = (data[0] + data[size - 1] * 256u + size * 7) % size;
    openseat::neuro::Read(text.substr(0, cut));
    openseat::neuro::Read(text.substr(cut));
  }
  static_cast<void>(openseat::neuro::DecodeServer(text));
  return 0;
}
