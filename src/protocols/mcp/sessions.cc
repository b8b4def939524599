#include "protocols/mcp/sessions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/secure_random.h"

namespace openseat::mcp {
namespace {

constexpr std::size_t kIdLength = 32;  // 160 bits
constexpr Duration kSweepEvery = std::chrono::hours(1);

}  // namespace

Sessions::Sessions(const Clock& clock, std::size_t most, std::size_t most_of_one, std::string prefix)
    : clock_(clock), most_(most), most_of_one_(most_of_one), prefix_(std::move(prefix)), swept_(clock.Monotonic()) {}

Sessions::~Sessions() {
  while (!by_id_.empty()) Forget(by_id_.begin());
}

// A question that awaits the client's answer holds its call, and the call its session.
void Sessions::Forget(Entry entry) {
  const std::shared_ptr<Session> session = *entry->second;
  const auto asked = std::exchange(session->asked, {});
  const auto owner = by_principal_.find(session->principal);
  owner->second.erase(entry->second);
  if (owner->second.empty()) by_principal_.erase(owner);
  by_id_.erase(entry);
}

void Sessions::ForgetIdle() {
  const Instant now = clock_.Monotonic();
  if (now - swept_ < kSweepEvery) return;
  swept_ = now;
  std::vector<std::string> idle;
  for (const auto& [id, session] : by_id_) {
    if (now - (*session)->used >= kIdle) idle.push_back(id);
  }
  for (const std::string& id : idle) Forget(by_id_.find(id));
}

std::shared_ptr<Session> Sessions::Begin(std::string principal) const {
  auto session = std::make_shared<Session>();
  session->id = prefix_ + SecureToken(kIdLength);
  session->principal = std::move(principal);
  return session;
}

void Sessions::Keep(const std::shared_ptr<Session>& session, bool operates) {
  ForgetIdle();
  if (const auto own = by_principal_.find(session->principal);
      !operates && own != by_principal_.end() && own->second.size() >= most_of_one_) {
    ForgetSilent(own->second);
  } else if (by_id_.size() >= most_) {
    ForgetSilent(
        std::ranges::max_element(by_principal_, {}, [](const auto& each) { return each.second.size(); })->second);
  }
  session->used = clock_.Monotonic();
  Silent& own = by_principal_[session->principal];
  by_id_[session->id] = own.insert(own.end(), session);
}

std::shared_ptr<Session> Sessions::Find(std::string_view id, std::string_view principal) {
  const auto found = by_id_.find(std::string(id));
  if (found == by_id_.end() || (*found->second)->principal != principal) return nullptr;
  const std::shared_ptr<Session> session = *found->second;
  session->used = clock_.Monotonic();
  Silent& own = by_principal_[session->principal];
  own.splice(own.end(), own, found->second);
  return session;
}

bool Sessions::End(std::string_view id, std::string_view principal) {
  const auto found = by_id_.find(std::string(id));
  if (found == by_id_.end() || (*found->second)->principal != principal) return false;
  Forget(found);
  return true;
}

}  // namespace openseat::mcp
