#include "protocols/agent_api/look.h"

#include <algorithm>
#include <string_view>

namespace openseat::agent_api {

namespace {

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

}  // namespace

std::string SeatLook::SideTitle() const {
  if (seat < roles.size() && !roles[seat].empty()) return roles[seat];
  return seat < names.size() ? names[seat] : "player";
}

std::string SeatLook::Side() const {
  return seat < roles.size() && !roles[seat].empty() ? Lower(roles[seat]) : SideTitle();
}

std::string TitleOf(const SeatLook& look, const std::string& name) {
  for (std::size_t i = 0; i < look.names.size() && i < look.roles.size(); ++i) {
    if (look.names[i] == name && !look.roles[i].empty()) return look.roles[i];
  }
  return name;
}

std::string SideOf(const SeatLook& look, const std::string& name) {
  const std::string title = TitleOf(look, name);
  return title == name ? name : Lower(title);
}

}  // namespace openseat::agent_api
