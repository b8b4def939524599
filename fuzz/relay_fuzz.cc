// Reads bytes as messages of two games on their way through the relay: what it remembers of them, how it repairs them,
// and how it compares them with a recording. What was repaired has nothing left to repair, names lead back to the game
// that they came from, and a message is the same as itself.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/check.h"
#include "protocols/neuro/codec.h"
#include "relay/difference.h"
#include "relay/repair.h"
#include "relay/standing.h"

namespace openseat::relay {
namespace {

void Check(Repair& repair, NameBook& book, std::uint64_t channel, const std::vector<neuro::Decoded>& documents) {
  const auto repaired = repair.ToUpstream(false, documents, "A");
  if (!repaired) return;
  OPENSEAT_CHECK(repaired->texts.size() == repaired->documents.size(), "every document has its text");
  for (const std::string& text : repaired->texts) {
    const std::vector<neuro::Decoded> again =
        neuro::DecodeClient(text, {.json = {.max_bytes = text.size(), .max_depth = 256}});
    OPENSEAT_CHECK(again.size() == 1 && again.front().message.has_value(), "what was repaired can be read");
    for (const Step& step : StepsOf(again, "A")) {
      // A startup behind it takes the names back.
      if (step.kind != Step::Kind::kRegister || repaired->texts.size() > 1) continue;
      for (const std::string& name : step.names) {
        OPENSEAT_CHECK(book.GameName(channel, name).has_value(), "the name of an action leads back to its game");
      }
    }
  }
}

void Pass(std::string_view first, std::string_view second) {
  NameBook book;
  Repair one({.messages = true, .schemas = true, .names = true}, book, 1);
  Repair two({.messages = true, .schemas = true, .names = true}, book, 2);
  // So few names that some are left out.
  Repair three({.names = true}, book, 3, 2);
  Standing standing(3);
  OpenForces forces;
  for (const std::string_view text : {first, second, first}) {
    const std::vector<neuro::Decoded> documents = neuro::DecodeClient(text);
    const FramePtr frame = MakeFrame(std::string(text), false, StepsOf(documents, "A"));
    standing.Apply(frame);
    OPENSEAT_CHECK(standing.bytes() <= kMaxStandingBytes, "what stands has a limit");
    forces.Apply(frame);
    Check(one, book, 1, documents);
    Check(two, book, 2, documents);
    static_cast<void>(three.ToUpstream(false, documents, "A"));
    const auto message = neuro::DecodeServer(text);
    if (!message) continue;
    static_cast<void>(one.ToGame(*message));
    if (const auto* action = std::get_if<neuro::ActionMessage>(&*message)) forces.OnAction(action->id, action->name);
  }
  static_cast<void>(standing.Registration());
  static_cast<void>(forces.Forces());
  OPENSEAT_CHECK(Compare(first, first, {}).same_bytes, "a message is the same as itself");
  OPENSEAT_CHECK(Compare(first, second, {}).changes.empty() == Compare(second, first, {}).changes.empty(),
                 "being the same goes both ways");
}

}  // namespace
}  // namespace openseat::relay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = size == 0 ? 0 : (data[0] + size * 7) % size;
  openseat::relay::Pass(bytes.substr(0, cut), bytes.substr(cut));
  openseat::relay::Pass(bytes, bytes.substr(cut));
  return 0;
}
