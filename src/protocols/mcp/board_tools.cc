#include "protocols/mcp/board_tools.h"

#include <memory>
#include <utility>

#include "base/text.h"
#include "protocols/mcp/play_tools.h"
#include "protocols/mcp/presentation.h"

namespace openseat::mcp {
namespace {

constexpr std::int64_t kPageTtlMs = 3'600'000;
constexpr std::size_t kMaxName = 40;
constexpr std::size_t kMaxNewsText = 200;

std::string TokenOf(const json::Object& arguments) {
  return FindText(arguments, "token").value_or("");
}

json::Array ActionsOf(const SeatView& view) {
  json::Array list;
  const auto add = [&](const std::string& name, const std::string& description, const json::Value* schema) {
    json::Object action{{"name", name}, {"description", description}};
    if (schema != nullptr && !schema->is_null()) action["schema"] = *schema;
    list.push_back(std::move(action));
  };
  if (view.sight->game() == nullptr) {
    for (const ActionPtr& each : view.actions().all()) {
      add(each->name, each->description, each->schema ? &*each->schema : nullptr);
    }
  } else {
    for (const ActionSpec& each : view.sight->Actions()) add(each.name, each.description, &each.schema);
  }
  return list;
}

// What the board draws: the view of a seat, or of a spectator.
json::Object Drawn(const SeatView& view, const Presentation* shown) {
  json::Object out{{"game", view.game == nullptr ? "" : view.game->info().id},
                   {"table", view.table.str()},
                   {"names", json::Array(view.names.begin(), view.names.end())},
                   {"open_seats", view.open_seats},
                   {"started", view.sight->game() != nullptr || view.game == nullptr},
                   {"state", view.sight->observation()},
                   {"text", CleanText(view.sight->text(), 16u << 10)}};
  if (view.game != nullptr) {
    json::Array roles(view.game->info().roles.begin(), view.game->info().roles.end());
    out["title"] = view.game->info().title;
    out["roles"] = std::move(roles);
  } else {
    out["title"] = CleanText(view.title, 200);
  }
  if (Result<json::Value> parts = json::Parse(view.sight->View()); parts && parts->is_object()) {
    out["view"] = std::move(*parts);
  }
  if (view.outcome) {
    json::Object outcome;
    AddOutcome(view, outcome);
    out["outcome"] = std::move(outcome);
  }
  if (shown == nullptr) return out;
  for (const char* name : {"seat", "version", "status", "events", "decision"}) {
    if (const json::Value* value = json::Find(shown->structured(), name)) out[name] = *value;
  }
  const Status status = StatusOf(view);
  if (status == Status::kYourTurn || status == Status::kMayAct) out["actions"] = ActionsOf(view);
  return out;
}

}  // namespace

void BoardTools::Add(Server& server, Tool tool, Run run) {
  tool.for_views = true;
  tool.meta = DrawnBy(kBoardUri, {"app"});
  tool.run = [this, run](const CallPtr& call, const json::Object& arguments) { (this->*run)(call, arguments); };
  server.AddTool(std::move(tool));
}

void BoardTools::AddTo(Server& server) {
  if (!offered()) return;
  server.Declare(kViewExtension, {});
  // Nothing comes from outside.
  const json::Object policy{{"connectDomains", json::Array()},
                            {"resourceDomains", json::Array()},
                            {"frameDomains", json::Array()},
                            {"baseUriDomains", json::Array()}};
  const json::Object meta{{"ui", json::Object{{"csp", policy}, {"prefersBorder", true}}}};
  server.AddResource(
      {.uri = std::string(kBoardUri),
       .name = "board",
       .title = "The board",
       .description = "Draws the table of a seat in the chat, and lets a person play on it.",
       .mime_type = std::string(kViewMimeType),
       .read =
           [this, meta](const CallPtr& call, const std::string& uri, const std::map<std::string, std::string>&) {
             json::Object answer = ResourceText(uri, kViewMimeType, page_.html);
             answer.at("contents").as_array().front().as_object()["_meta"] = meta;
             call->Answer(std::move(answer), {.ttl_ms = kPageTtlMs, .shared = true});
           },
       .meta = meta});
  Add(server, BoardLookTool(), &BoardTools::Look);
  Add(server, BoardActTool(), &BoardTools::Act);
  Add(server, BoardSitTool(), &BoardTools::Sit);
  if (page_.cards) Add(server, BoardCardsTool(), &BoardTools::Cards);
}

std::string BoardTools::TakeNews(const std::string& token) {
  const std::deque<std::string>* news = news_.Find(token);
  if (news == nullptr) return {};
  std::string text = "A person has chosen for your seat on the board in the chat:\n";
  for (const std::string& each : *news) text += "- " + each + "\n";
  news_.Erase(token);
  return text + "\n";
}

void BoardTools::Look(const CallPtr& call, const json::Object& arguments) {
  const json::Value* watch = json::Find(arguments, "watch");
  Show(call, TokenOf(arguments), watch != nullptr && watch->get_bool());
}

void BoardTools::Show(const CallPtr& call, const std::string& token, bool watch) {
  seats_.AtSeat(call, token, [this, call, token, watch](Table& table, ExternalAgent& agent) {
    const Viewer viewer = watch ? Viewer::Spectator() : Viewer::Seat(agent.seat()->index());
    SeatView view = LookAt(table, viewer);
    const std::size_t bytes = Reads::SizeOf(table, view);
    seats_.Home([this, call, token, watch, bytes, view = std::move(view)] {
      reads_.Answer(call, bytes, [this, watch, view, guest = guests_.Find(token) != nullptr] {
        json::Object drawn;
        if (watch) {
          drawn = Drawn(view, nullptr);
          drawn["guest"] = guest;
        } else {
          const Presentation shown = seats_.Show(view);
          drawn = Drawn(view, &shown);
        }
        return ToolResult("The board.", std::move(drawn));
      });
    });
  });
}

void BoardTools::Act(const CallPtr& call, const json::Object& arguments) {
  const std::string token = TokenOf(arguments);
  seats_.Choose(
      call, SeatCalls::Caller::kPerson, token, arguments, [this, call, token](const SeatCalls::Chosen& chosen) {
        if (!chosen.repeated) {
          std::deque<std::string>& news = news_.At(token);
          news.push_back(CleanText(chosen.action + (chosen.data.empty() ? "" : " " + chosen.data), kMaxNewsText));
          if (news.size() > kMaxNews) news.pop_front();
        }
        Show(call, token, false);
      });
}

void BoardTools::Sit(const CallPtr& call, const json::Object& arguments) {
  const std::string token = TokenOf(arguments);
  if (const std::string* guest = guests_.Find(token)) {
    return call->Answer(ToolResult("Your seat.", {{"token", *guest}}));
  }
  const std::string name = CleanText(FindText(arguments, "name").value_or("You"), kMaxName);
  seats_.AtSeat(call, token, [this, call, token, name](Table& table, ExternalAgent&) {
    const auto done = [this, call, token](const Result<std::string>& guest) {
      seats_.Home([this, call, token, guest] {
        if (!guest) return call->Answer(ToolError(Sentence(guest.error())));
        guests_.At(token) = *guest;
        call->Answer(ToolResult("Your seat.", {{"token", *guest}}));
      });
    };
    if (table.game() == nullptr || table.started()) {
      return done(Fail(ErrorCode::kClosed, "no seat of this table is open"));
    }
    SeatCalls::Take(table, static_cast<SeatIndex>(table.seats()), name, done);
  });
}

void BoardTools::Cards(const CallPtr& call, const json::Object& arguments) {
  const json::Value cards = page_.cards(FindText(arguments, "game").value_or(""));
  if (!cards.is_object()) return call->Answer(ToolError("This game has no cards."));
  call->Answer(ToolResult("The cards.", cards.get_object()));
}

}  // namespace openseat::mcp
