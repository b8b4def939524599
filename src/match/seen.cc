#include "match/seen.h"

#include <algorithm>
#include <utility>

#include "base/json_diff.h"

namespace openseat {
namespace {

// A patch of fewer bytes is not compared with the whole state.
constexpr std::size_t kShort = 512;
// A state of at most so many bytes is written whole: a patch is about as long, and takes longer to make.
constexpr std::size_t kSmall = 160;

// Whether a value takes at most `left` bytes of JSON, about; subtracts them.
bool Fits(const json::Value& value, std::size_t& left) {
  const auto take = [&left](std::size_t bytes) {
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
  if (const json::String* text = value.if_string()) return take(text->size() + 3);
  if (const json::Array* array = value.if_array()) {
    return take(3) && std::ranges::all_of(*array, [&](const json::Value& item) { return Fits(item, left); });
  }
  if (const json::Object* object = value.if_object()) {
    return take(3) && std::ranges::all_of(*object, [&](const auto& member) {
             return take(json::KeyOf(member).size() + 3) && Fits(member.value(), left);
           });
  }
  return take(2);
}

void WriteSeen(const Sight& sight, std::string& out) {
  out += "\"state\":";
  out += sight.observation_text();
}

void WriteSeenChange(const Sight& before, const Sight& after, std::string& out) {
  std::size_t left = kSmall;
  // What everybody sees is written anyway, for the clients.
  const bool small =
      after.game()->info().hides ? Fits(after.observation(), left) : after.observation_text().size() <= kSmall;
  if (small) return WriteSeen(after, out);
  const std::size_t start = out.size();
  out += "\"patch\":";
  json::WriteDiff(before.observation(), after.observation(), out);
  if (out.size() - start < kShort || out.size() - start < after.observation_text().size()) return;
  out.resize(start);
  WriteSeen(after, out);
}

}  // namespace

std::string SeenPayload(const Sight* before, const Sight& after, const GameState& state) {
  std::string out;
  out.reserve(kSmall + 64);
  out += '{';
  if (before == nullptr) {
    WriteSeen(after, out);
  } else {
    WriteSeenChange(*before, after, out);
  }
  if (const std::optional<Outcome> outcome = state.GetOutcome()) {
    out += ",\"ended\":" + EndedPayload({outcome->winners, outcome->reason});
  }
  out += '}';
  return out;
}

Result<void> Seen::Add(const json::Value& payload) {
  const json::Value* state = json::Find(payload, "state");
  const json::Value* patch = json::Find(payload, "patch");
  if (state != nullptr) {
    changed_ = views_.empty() || !json::Equal(*state, views_.front());
    views_.assign(1, *state);
  } else if (patch == nullptr || views_.empty()) {
    return Fail(ErrorCode::kParse, "what was seen is neither a state nor a patch of an earlier one");
  } else if (Result<void> done = json::ApplyDiff(*patch, views_.front()); !done) {
    return done;
  } else {
    changed_ = !patch->get_array().empty();
  }
  const json::Value* ended = json::Find(payload, "ended");
  if (ended == nullptr) return {};
  Result<EndedEvent> read = ReadEnded(*ended);
  if (!read) return Fail(std::move(read).error());
  ended_ = std::move(*read);
  return {};
}

const json::Value* Seen::Of(Viewer) const {
  return views_.empty() ? nullptr : &views_.front();
}

}  // namespace openseat
