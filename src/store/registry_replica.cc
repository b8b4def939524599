#include "store/registry_replica.h"

#include <utility>

#include "base/digest.h"
#include "base/json_members.h"
#include "base/text.h"

namespace openseat::store {
namespace {

constexpr json::Limits kMessageLimits{.max_bytes = kMaxCommandBytes, .max_depth = 16};
constexpr std::size_t kRegistryIdLength = 10;

Error DamagedSnapshot() {
  return {ErrorCode::kParse, "a snapshot of the registry is damaged", ""};
}

const json::Array* ListAt(const json::Value& value, std::string_view name) {
  const json::Value* found = json::Find(value, name);
  return found != nullptr && found->is_array() ? &found->get_array() : nullptr;
}

}  // namespace

std::string WriteMessage(const std::vector<std::string_view>& commands) {
  std::string out = R"({"commands":[)";
  for (const std::string_view command : commands) {
    if (out.back() != '[') out += ',';
    out += command;
  }
  out += "]}";
  return out;
}

Result<std::unique_ptr<RegistryReplica>> RegistryReplica::Make(std::string_view snapshot) {
  std::unique_ptr<RegistryReplica> made(new RegistryReplica);
  if (!snapshot.empty()) {
    const Result<std::uint64_t> size = TakeSize(snapshot);
    if (!size || *size > snapshot.size()) return Fail(DamagedSnapshot());
    const Result<json::Value> about = json::Parse(snapshot.substr(0, *size), {.max_bytes = kMaxSnapshotBytes});
    snapshot.remove_prefix(*size);
    if (!about || snapshot.empty()) return Fail(DamagedSnapshot());
    const json::Array* sessions = ListAt(*about, "sessions");
    if (sessions == nullptr) return Fail(DamagedSnapshot());
    for (const json::Value& session : *sessions) {
      if (!session.is_array() || session.get_array().size() != 2) return Fail(DamagedSnapshot());
      const std::optional<std::uint64_t> id = json::AsWhole(session.get_array()[0]);
      const std::optional<std::uint64_t> last = json::AsWhole(session.get_array()[1]);
      if (!id || !last) return Fail(DamagedSnapshot());
      made->sessions_.emplace(*id, *last);
    }
  }
  Result<RegistryDatabase> database = RegistryDatabase::InMemory(
      snapshot, made->clock_, [replica = made.get()](char letter) { return replica->NextId(letter); });
  if (!database) return Fail(database.error());
  made->database_.emplace(std::move(*database));
  return made;
}

Result<std::string> RegistryReplica::Snapshot() {
  json::Object about;
  json::Array& sessions = about["sessions"].emplace_array();
  for (const auto& [session, last] : sessions_) sessions.push_back(json::Array{session, last});
  const std::string text = json::Write(about);
  const Result<std::string> image = database_->Image();
  if (!image) return Fail(image.error());
  std::string out;
  AppendSize(out, text.size());
  return out + text + *image;
}

Result<std::optional<RegistryReplica::Outcomes>> RegistryReplica::Apply(const RegistryStamp& stamp,
                                                                        std::string_view text) {
  std::uint64_t& last = sessions_[stamp.session];
  if (stamp.number != last + 1) return std::nullopt;
  const Result<json::Value> message = json::Parse(text, kMessageLimits);
  if (!message) return Fail(message.error());
  const json::Array* commands = ListAt(*message, "commands");
  if (commands == nullptr) return Fail(ErrorCode::kParse, "a message of the registry has no commands");
  Result<Outcomes> outcomes = ApplyAll(stamp, *commands);
  if (!outcomes) {
    database_->Rollback();
    return Fail(outcomes.error());
  }
  last = stamp.number;
  return std::move(*outcomes);
}

Result<RegistryReplica::Outcomes> RegistryReplica::ApplyAll(const RegistryStamp& stamp, const json::Array& commands) {
  if (Result<void> begun = database_->Begin(); !begun) return Fail(begun.error());
  Outcomes outcomes;
  for (const json::Value& command : commands) {
    const Result<Time> at = TimeOfCommand(command);
    if (!at) return Fail(at.error());
    clock_.now = *at;
    place_ = std::to_string(stamp.session) + " " + std::to_string(stamp.number) + " " + std::to_string(outcomes.size());
    ids_ = 0;
    Result<Result<RegistryOutcome>> outcome = ApplyCommand(*database_, command);
    if (!outcome) return Fail(outcome.error());
    if (IsWatched(command)) ++watched_;
    outcomes.push_back(std::move(*outcome));
  }
  if (Result<void> kept = database_->Commit(); !kept) return Fail(kept.error());
  return outcomes;
}

std::string RegistryReplica::NextId(char letter) {
  static constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  const std::string digest = Sha256Hex(place_ + " " + std::to_string(ids_++));
  std::string id{letter, '-'};
  for (std::size_t i = 0; i < kRegistryIdLength; ++i) {
    const int byte = HexValue(digest[2 * i]) * 16 + HexValue(digest[2 * i + 1]);
    id += kLetters[static_cast<std::size_t>(byte) % kLetters.size()];
  }
  return id;
}

std::uint64_t RegistryReplica::LastOf(std::uint64_t session) const {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? 0 : found->second;
}

}  // namespace openseat::store
