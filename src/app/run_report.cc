#include "app/run_report.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

#include "app/commands.h"
#include "base/json_members.h"
#include "base/text.h"

namespace openseat::app {
namespace {

constexpr Duration kRedraw = std::chrono::milliseconds(100);
constexpr std::size_t kBar = 30;

using Count = unsigned long long;

double Percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

void PrintCauses(std::uint64_t games, const std::array<const char*, 2>& become,
                 const std::map<std::string, std::uint64_t>& causes) {
  if (games == 0) return;
  std::printf("\n%s%s:\n", Counted(games, "game").c_str(), become[games == 1 ? 0 : 1]);
  for (const auto& [cause, times] : causes) std::printf("  %6llu  %s\n", Count{times}, Printable(cause).c_str());
}

// "openseat play --resume DIR"; "" if nothing is kept.
std::string ResumeCommand(const RunResult& result) {
  return result.folder.empty() ? "" : "openseat " + result.spec.command + " --resume " + result.folder;
}

}  // namespace

std::string Counted(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string RoughTime(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(std::max(0.0, seconds)));
  if (whole < 90) return std::to_string(whole) + " s";
  const std::uint64_t minutes = (whole + 30) / 60;
  if (minutes < 60) return std::to_string(minutes) + " min";
  if (minutes < 48 * 60) return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
  return std::to_string(minutes / (24 * 60)) + " d";
}

RunProgress::RunProgress(bool wanted, Instant begin)
    : shown_(wanted && isatty(STDERR_FILENO) != 0), begin_(begin), last_(begin - kRedraw) {}

void RunProgress::Show(const arena::Runner::Progress& progress, Instant now) {
  const std::uint64_t done = progress.counted + progress.voided;
  const bool last = progress.total == done;
  if (!shown_ || (now - last_ < kRedraw && !last)) return;
  last_ = now;
  std::string line = "\r";
  if (progress.total && *progress.total > 0) {
    const std::size_t full = std::min<std::uint64_t>(kBar, done * kBar / *progress.total);
    line += "[" + std::string(full, '#') + std::string(kBar - full, ' ') + "] " + std::to_string(done) + "/" +
            std::to_string(*progress.total);
  } else {
    line += Counted(done, "game");
  }
  if (progress.voided > 0) line += ", " + std::to_string(progress.voided) + " void";
  if (progress.spent.cost > 0) {
    char cost[32];
    std::snprintf(cost, sizeof cost, ", $%.4f", progress.spent.cost);
    line += cost;
  }
  if (progress.total && !last && progress.ended_now > 0 && done < *progress.total) {
    const double passed = std::chrono::duration<double>(now - begin_).count();
    const double each = passed / static_cast<double>(progress.ended_now);
    line += ", about " + RoughTime(each * static_cast<double>(*progress.total - done)) + " left";
  }
  // Clears the rest of an earlier, longer line.
  std::fprintf(stderr, "%s\x1b[K", line.c_str());
}

void RunProgress::End() const {
  if (shown_) std::fputc('\n', stderr);
}

void PrintScores(const RunResult& result) {
  std::size_t width = 16;
  for (const arena::AgentTally& tally : result.summary.agents()) width = std::max(width, Printable(tally.agent).size());
  const int column = static_cast<int>(std::min<std::size_t>(width, 100));
  std::printf("%s, %s, seed %llu\n%-4s %-*s %8s %8s %8s %9s\n", Printable(result.spec.games.front().title).c_str(),
              Counted(result.summary.counted(), "game").c_str(), Count{result.spec.seed}, "seat", column, "agent",
              "wins", "draws", "losses", "forfeits");
  std::size_t seat = 0;
  for (const arena::AgentTally& tally : result.summary.agents()) {
    std::printf("%-4zu %-*s %8llu %8llu %8llu %9llu\n", seat++, column, Printable(tally.agent).c_str(),
                Count{tally.all.wins}, Count{tally.all.draws}, Count{tally.all.losses}, Count{tally.forfeits});
  }
}

void PrintModelFigures(const RunResult& result) {
  for (const auto& [name, tally] : result.summary.models()) {
    const json::Object* model = json::FindObject(result.spec.models, name);
    const std::uint64_t input = tally.tokens.input + tally.tokens.cached + tally.tokens.created;
    std::printf("\nmodel %s (%s at %s)\n", Printable(name).c_str(), Printable(json::TextOf(model, "model")).c_str(),
                Printable(json::TextOf(model, "provider")).c_str());
    std::printf("  answers        %llu, and %llu calls that failed\n", Count{tally.answers}, Count{tally.failures});
    if (tally.answers == 0) continue;
    std::printf("  illegal moves  %.1f %% of the answers\n", Percent(tally.illegal, tally.answers));
    std::printf("  repairs        %.1f %% (%llu repaired, %llu requested again, %llu given up)\n",
                Percent(tally.repaired + tally.asked_again, tally.answers), Count{tally.repaired},
                Count{tally.asked_again}, Count{tally.given_up});
    std::printf("  tokens         %llu in, %llu out", Count{input}, Count{tally.tokens.output});
    if (tally.tokens.cached > 0) std::printf("; %llu of those in came from a cache", Count{tally.tokens.cached});
    if (tally.tokens.reasoning > 0) std::printf("; %llu of those out were reasoning", Count{tally.tokens.reasoning});
    std::printf("\n");
    if (tally.cost) {
      std::printf("  cost           $%.4f\n", *tally.cost);
    } else {
      std::printf("  cost           unknown: the model has no input_price and output_price\n");
    }
    std::printf("  latency        p50 %.0f ms, p90 %.0f ms, p99 %.0f ms\n", tally.Latency(0.5), tally.Latency(0.9),
                tally.Latency(0.99));
  }
}

void PrintRunNotes(const RunResult& result) {
  const arena::RunSummary& summary = result.summary;
  PrintCauses(summary.voided(), {" is void, and does not count", " are void, and do not count"}, summary.causes());
  std::uint64_t forfeited = 0;
  for (const auto& [cause, games] : summary.forfeit_causes()) forfeited += games;
  PrintCauses(forfeited, {" was forfeited", " were forfeited"}, summary.forfeit_causes());
  const std::size_t seats = result.spec.agents.size();
  if (result.spec.command == "play" && !result.spec.fixed_roles && seats > 1 && result.spec.wanted > 1 &&
      result.spec.wanted % seats != 0) {
    std::printf(
        "\n%s cannot be divided by %zu seats, so the last pair is half: the agents did not have each seat equally "
        "often\n",
        Counted(result.spec.wanted, "game").c_str(), seats);
  }
  if (!result.folder.empty()) std::printf("\nkept in %s\n", result.folder.c_str());
}

void PrintStop(const arena::StopReason& reason, const RunResult& result) {
  std::string sentence = reason.sentence;
  switch (reason.kind) {
    case arena::StopReason::Kind::kPermanent:
      sentence = "the run was stopped, since playing on would not help: " + sentence;
      break;
    case arena::StopReason::Kind::kInterrupted:
      sentence = "the run was interrupted";
      break;
    default:
      sentence = "the run was stopped: " + sentence;
      break;
  }
  const std::string resume = ResumeCommand(result);
  if (!resume.empty()) sentence += "; to go on: " + resume;
  PrintError(sentence);
}

}  // namespace openseat::app
