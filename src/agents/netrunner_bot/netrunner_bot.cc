#include "agents/netrunner_bot/netrunner_bot.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "agents/netrunner_bot/netrunner_view.h"
#include "agents/options.h"
#include "base/secure_random.h"

namespace openseat {
namespace {

using games::netrunner::CardDef;
using games::netrunner::CardType;
using netrunner_bot::BotChoice;
using netrunner_bot::CardNamed;
using netrunner_bot::PromptView;
using netrunner_bot::View;

constexpr std::size_t kSafeGrip = 3;  // cards that survive most accidents of a run

int Count(const View& view, std::string_view server, bool ice) {
  const auto found = view.servers.find(server);
  if (found == view.servers.end()) return 0;
  return static_cast<int>(ice ? found->second.ice : found->second.root);
}

bool OneOf(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

// --- The Corp: ice first, then money, then agendas behind ice ---

int CorpInstall(const View& view, const BotChoice& choice, const CardDef& card) {
  const bool remote = choice.server.starts_with("Server") || choice.server == "New remote";
  const int ice = Count(view, choice.server, true);
  const int root = Count(view, choice.server, false);
  switch (card.type) {
    case CardType::kIce:
      if (choice.server == "Archives") return 1;
      if (ice == 0 && !remote) return 72;
      if (ice == 0) return choice.server == "New remote" ? 55 : 66;
      return ice == 1 && view.credits >= 6 ? 30 : 5;
    case CardType::kAgenda:
      if (root > 0) return 0;
      return ice > 0 ? 68 : view.hand >= 5 ? 16 : 2;
    case CardType::kAsset:
      if (choice.server != "New remote") return 0;
      return OneOf(card.title, {"Nico Campaign", "Regolith Mining License"}) ? 50 : 12;
    default:
      return remote && ice > 0 ? 22 : 3;
  }
}

int CorpPlay(const View& view, const BotChoice& choice) {
  const CardDef* card = CardNamed(choice.card);
  if (card == nullptr) return 0;
  if (card->type != CardType::kOperation) return choice.server.empty() ? 0 : CorpInstall(view, choice, *card);
  if (OneOf(card->title, {"Hedge Fund", "Government Subsidy", "Hansei Review"})) return 80;
  if (card->title == "Predictive Planogram") return 52;
  if (card->title == "Seamless Launch") return view.agenda_installed ? 70 : 1;
  return OneOf(card->title, {"Retribution", "Public Trail"}) ? 32 : 6;
}

int CorpWorth(const View& view, const BotChoice& choice) {
  const CardDef* card = CardNamed(choice.card);
  const std::string& action = choice.action;
  if (action == "score") return 1000;
  if (action == "play") return CorpPlay(view, choice);
  if (action == "advance") return card != nullptr && card->type == CardType::kAgenda ? 75 : 1;
  if (action == "rez") {
    if (card == nullptr) return 0;
    if (card->type == CardType::kIce) return 95;
    if (OneOf(card->title, {"Nico Campaign", "Regolith Mining License"})) return 90;
    return card->type == CardType::kUpgrade && view.running ? 60 : card->title == "Spin Doctor" ? 55 : 0;
  }
  if (action == "ability") return card != nullptr && card->title == "Regolith Mining License" ? 62 : 0;
  if (action == "draw") return view.hand <= 3 ? 24 : 10;
  if (action == "credit") return 20;
  if (action == "trash-resource") return 15;
  return action == "purge" ? 0 : 40;
}

// --- The Runner: money and icebreakers, and runs where they are cheap ---

bool CanBreak(const CardDef& breaker, const CardDef& ice) {
  return !breaker.abilities.empty() &&
         (breaker.abilities[0].subtypes == 0 || (breaker.abilities[0].subtypes & ice.subtypes) != 0);
}

int RunWorth(const View& view, const std::string& server) {
  if (view.hand < kSafeGrip) return 4;
  const int ice = Count(view, server, true);
  const bool remote = server.starts_with("Server");
  const auto seen = view.servers.find(server);
  // What lies there is known, and stays there: nothing is won by looking again.
  if (remote && seen != view.servers.end() && seen->second.unknown + seen->second.worth_it == 0) return 5;
  const int prize = remote ? 70 : server == "R&D" ? 58 : server == "HQ" ? 54 : 12;
  if (ice == 0) return prize;
  return view.credits >= 4 + 3 * ice ? prize - 8 * ice : 6;
}

int RunnerPlay(const View& view, const BotChoice& choice) {
  const CardDef* card = CardNamed(choice.card);
  if (card == nullptr) return 0;
  if (OneOf(card->title, {"Sure Gamble"})) return 95;
  if (OneOf(card->title, {"Wildcat Strike", "Creative Commission"})) return 78;
  if (card->title == "VRcation") return view.hand <= 3 ? 76 : 8;
  if (OneOf(card->title, {"Jailbreak", "Overclock"})) return view.hand > kSafeGrip ? 64 : 3;
  if (card->type == CardType::kProgram) return card->strength >= 0 ? 66 : 40;
  if (card->type == CardType::kResource) return 68;
  return card->type == CardType::kHardware ? 50 : 10;
}

int RunnerAbility(const View& view, const BotChoice& choice) {
  const CardDef* card = CardNamed(choice.card);
  if (card == nullptr) return 0;
  const json::Value* number = json::Find(choice.data, "ability");
  if (const CardDef* ice = CardNamed(view.encountered); ice != nullptr) {
    if (!CanBreak(*card, *ice)) return 0;
    return *number == 0 ? 95 : view.credits >= 2 ? 80 : 0;
  }
  return OneOf(card->title, {"Telework Contract", "Red Team"}) ? 72 : card->title == "Pennyshaver" ? 26 : 14;
}

int RunnerWorth(const View& view, const BotChoice& choice) {
  const std::string& action = choice.action;
  if (action == "play") return RunnerPlay(view, choice);
  if (action == "run") return RunWorth(view, choice.server);
  if (action == "auto-break") return 97;
  if (action == "ability") return RunnerAbility(view, choice);
  if (action == "draw") return view.hand <= kSafeGrip ? 45 : 12;
  if (action == "credit") return 20;
  if (action == "remove-tag") return 35;
  if (action == "jack-out") return 1;
  return 40;
}

// --- Prompts ---

int OptionWorth(const View& view, const BotChoice& choice) {
  const std::string& option = choice.option;
  if (option == "Steal") return 100;
  if (option.starts_with("Pay ") && option.ends_with("to trash")) return view.credits >= 4 ? 60 : 10;
  if (option.starts_with("End the run")) return view.corp || view.prompt.purpose == "break" ? 80 : 20;
  if (option == "Take 1 tag") return 30;
  if (option == "Pay 4 [Credits]") return 25;
  if (option == "Keep" || option == "Yes") return 50;
  if (option == "Mulligan" || option == "No" || option == "Done" || option == "Cancel") return 5;
  if (!view.corp && RunWorth(view, option) > 6) return RunWorth(view, option);
  return 30;
}

// When it must discard or trash, it keeps the cards that win the game.
int SelectWorth(const View& view, const BotChoice& choice) {
  const CardDef* card = CardNamed(choice.card);
  const bool agenda = card != nullptr && card->type == CardType::kAgenda;
  const bool loses = OneOf(view.prompt.purpose, {"discard", "trash"});
  return loses && agenda ? 10 : agenda ? 60 : 40;
}

constexpr std::string_view kMakeRoom = "memory-to-install";

// The value of a card when something must be trashed for an install: its memory, or one ice.
int CountsFor(const PromptView& prompt, const std::string& title) {
  const CardDef* card = CardNamed(title);
  return prompt.purpose == kMakeRoom && card != nullptr ? card->memory : 1;
}

// Whether the selection is enough; anything more would be trashed for nothing.
bool HasEnough(const PromptView& prompt) {
  int wanted = prompt.number;
  if (prompt.purpose == kMakeRoom) {
    wanted = CountsFor(prompt, prompt.card);
  } else if (prompt.purpose != "ice-to-install") {
    return false;
  }
  int selected = 0;
  for (const std::string& title : prompt.selected) selected += CountsFor(prompt, title);
  return selected >= wanted;
}

int Worth(const View& view, const BotChoice& choice) {
  if (choice.action == "choice") return OptionWorth(view, choice);
  if (choice.action == "select") return SelectWorth(view, choice);
  if (OneOf(choice.action, {"start-turn", "end-turn", "end-phase-12", "end-post-discard"})) return 15;
  return view.corp ? CorpWorth(view, choice) : RunnerWorth(view, choice);
}

}  // namespace

std::optional<Choice> NetrunnerBot::Pick(const Decision& decision) {
  const std::optional<View> view = netrunner_bot::ReadView(decision);
  if (!view) return std::nullopt;
  const bool enough = HasEnough(view->prompt);
  std::vector<const BotChoice*> best;
  int most = -1;
  for (const BotChoice& choice : view->choices) {
    const int worth = enough && choice.option == "Done" ? 1000 : Worth(*view, choice);
    if (worth > most) best.clear();
    most = std::max(most, worth);
    if (worth == most) best.push_back(&choice);
  }
  if (best.empty()) return std::nullopt;
  const BotChoice& taken = *best[rng_.Below(best.size())];
  return Choice{.action = taken.action, .data = taken.data, .decision = decision.id};
}

void NetrunnerBot::OnDecision(const Decision& decision) {
  std::optional<Choice> choice = Pick(decision);
  if (!choice) {
    static_cast<void>(seat_->GiveUp(decision.id, "the bot plays Netrunner only", {{"code", "unable"}}));
    return;
  }
  // A refusal comes back as the next attempt.
  static_cast<void>(seat_->Choose(*std::move(choice)));
}

Result<std::unique_ptr<Agent>> MakeNetrunnerBot(const json::Object& options) {
  if (auto known = agents::CheckKnown(options, "bot", {"seed"}); !known) return Fail(known.error());
  const auto seed =
      agents::NumberOption(options, "seed", static_cast<double>(SecureRandom64() >> 11), 0, 9007199254740992.0);
  if (!seed) return Fail(seed.error());
  return std::make_unique<NetrunnerBot>(static_cast<std::uint64_t>(*seed));
}

}  // namespace openseat
