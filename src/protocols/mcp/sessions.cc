#include "protocols/mcp/sessions.h"

#include <algorithm>
#include <utility>

#include "base/secure_random.h"

namespace openseat::mcp {
namespace {

constexpr std::size_t kIdLength = 32;  // 160 bits

}  // namespace

Sessions::Sessions(const Clock& clock, std::size_t max_sessions, std::string prefix)
    : clock_(clock), max_sessions_(max_sessions), prefix_(std::move(prefix)) {}

Sessions::~Sessions() {
  for (auto& [id, session] : sessions_) Forget(*session);
}

// A question that awaits the client's answer holds its call, and the call its session.
void Sessions::Forget(Session& session) {
  const auto asked = std::exchange(session.asked, {});
}

std::shared_ptr<Session> Sessions::Begin(std::string principal) const {
  auto session = std::make_shared<Session>();
  session->id = prefix_ + SecureToken(kIdLength);
  session->principal = std::move(principal);
  return session;
}

void Sessions::Keep(const std::shared_ptr<Session>& session) {
  if (sessions_.size() >= max_sessions_) {
    const auto oldest = std::ranges::min_element(
        sessions_, [](const auto& a, const auto& b) { return a.second->used < b.second->used; });
    Forget(*oldest->second);
    sessions_.erase(oldest);
  }
  session->used = clock_.Monotonic();
  sessions_[session->id] = session;
}

std::shared_ptr<Session> Sessions::Find(std::string_view id, std::string_view principal) {
  const auto found = sessions_.find(std::string(id));
  if (found == sessions_.end() || found->second->principal != principal) return nullptr;
  found->second->used = clock_.Monotonic();
  return found->second;
}

bool Sessions::End(std::string_view id, std::string_view principal) {
  const std::shared_ptr<Session> session = Find(id, principal);
  if (session == nullptr) return false;
  Forget(*session);
  sessions_.erase(session->id);
  return true;
}

}  // namespace openseat::mcp
