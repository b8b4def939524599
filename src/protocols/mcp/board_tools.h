// BoardTools: the board that a host draws in its chat (docs/protocols/mcp.md, "The board in the chat"): one document,
// the same for everybody, and the tools that only it calls. What a person does on it is played through seats, as
// everything else is, and the model at the seat is told. On the server's scheduler.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "protocols/mcp/reads.h"
#include "protocols/mcp/recent.h"
#include "protocols/mcp/seat_calls.h"
#include "protocols/mcp/server.h"

namespace openseat::mcp {

inline constexpr std::string_view kBoardUri = "ui://openseat/board";

struct BoardPage {
  std::string html;  // the document; "": no board is offered
  // What the cards of a game say, {"cards": […]}; null for a game without. May be empty.
  std::function<json::Value(std::string_view game)> cards{};
};

class BoardTools {
 public:
  // Both outlive it.
  BoardTools(BoardPage page, SeatCalls& seats, Reads& reads) : page_(std::move(page)), seats_(seats), reads_(reads) {}

  bool offered() const { return !page_.html.empty(); }
  // Does nothing where no board is offered. REQUIRES this to outlive the server's calls.
  void AddTo(Server& server);
  // What a person chose for the seat of this token since the last call, for its model; "" for nothing.
  std::string TakeNews(const std::string& token);

  static constexpr std::size_t kMaxRemembered = 10'000;  // seats, of each kind of memory
  static constexpr std::size_t kMaxNews = 8;             // of a seat; the oldest goes first

 private:
  using Run = void (BoardTools::*)(const CallPtr& call, const json::Object& arguments);
  void Add(Server& server, Tool tool, Run run);
  void Look(const CallPtr& call, const json::Object& arguments);
  void Act(const CallPtr& call, const json::Object& arguments);
  void Sit(const CallPtr& call, const json::Object& arguments);
  void Cards(const CallPtr& call, const json::Object& arguments);
  // Answers with what the seat of the token sees, or with what spectators of its table see.
  void Show(const CallPtr& call, const std::string& token, bool watch);

  const BoardPage page_;
  SeatCalls& seats_;
  Reads& reads_;
  Recent<std::deque<std::string>> news_{kMaxRemembered};  // by token
  Recent<std::string> guests_{kMaxRemembered};            // a person's token, by the model's
};

}  // namespace openseat::mcp
