// What a hosted match takes of the memory: a server has thousands, most of them at rest, and one that is over lingers.
#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "agents/make_agent.h"
#include "games/tictactoe/tictactoe.h"
#include "match/lobby.h"
#include "match/null_journal.h"
#include "testing/fake_scheduler.h"

namespace {

// Bytes that are allocated in this program.
std::size_t& Allocated() {
  static thread_local std::size_t bytes = 0;
  return bytes;
}

}  // namespace

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  Allocated() += malloc_usable_size(memory);
  return memory;
}
// Libraries use it, and what they get comes to the operator delete below.
void* operator new(std::size_t size, const std::nothrow_t& /*unused*/) noexcept {
  void* const memory = std::malloc(size);
  Allocated() += malloc_usable_size(memory);
  return memory;
}
void operator delete(void* memory) noexcept {
  Allocated() -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace openseat {
namespace {

TEST(MatchMemory, AMatchTakesSomeKilobytes) {
  constexpr std::size_t kMatches = 200;
  const std::unique_ptr<Game> game = games::MakeTicTacToe();
  const std::array<const Game*, 1> games{game.get()};
  testing::FakeScheduler scheduler;
  NullJournal journal;
  TableDirectory directory({&scheduler});
  Lobby lobby(games, MatchRules{}, std::chrono::minutes(5), directory, journal, MakeLocalAgent);
  const auto run = [&] {
    for (int i = 0; i < 10; ++i) scheduler.Run();
  };
  const auto play = [&](const MatchRef& ref) {
    lobby.OnMatch(
        ref,
        [](Match& match) {
          for (const char* name : {"first", "second"}) {
            match.Join(name, [&match](const Result<JoinedSeat>& joined) {
              match.Watch(Viewer::Seat(joined->seat), [](MatchEvent, const Match&, Viewer) {});
            });
          }
        },
        [] {});
  };
  std::vector<MatchRef> refs;
  refs.reserve(kMatches);
  const auto make = [&] {
    lobby.Create(scheduler, "tictactoe", nullptr, {}, [&](const Result<MatchRef>& made) { refs.push_back(*made); });
    run();
    play(refs.back());
    run();
  };
  make();  // what is made once
  const std::size_t before = Allocated();
  while (refs.size() < kMatches) make();
  const std::size_t in_progress = (Allocated() - before) / (kMatches - 1);
  for (const MatchRef& ref : refs) {
    for (const auto& [row, column] : std::vector<std::pair<int, int>>{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}}) {
      lobby.OnMatch(
          ref,
          [&, position = json::Array{row, column}](Match& match) {
            match.Choose(match.state().Awaited().First(), 0,
                         {.action = "move", .data = json::Object{{"position", position}}}, [](const Verdict&) {});
          },
          [] {});
      run();
    }
  }
  const std::size_t over = (Allocated() - before) / (kMatches - 1);
  RecordProperty("in_progress", std::to_string(in_progress));
  RecordProperty("over", std::to_string(over));
  EXPECT_LT(in_progress, 6'000u);
  EXPECT_LT(over, 5'000u);
}

}  // namespace
}  // namespace openseat
