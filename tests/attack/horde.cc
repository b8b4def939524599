#include "attack/horde.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "attack/attacks_by_requests.h"
#include "attack/horde_attackers.h"
#include "net/test_client.h"

namespace openseat::tests {

struct Horde::Counts {
  struct Of {
    std::atomic<std::size_t> rounds = 0;
    std::atomic<std::size_t> strikes = 0;
    std::atomic<std::size_t> answers = 0;
  };
  std::array<Of, 128> of{};
};

namespace {

// OPENSEAT_ATTACKERS, a regular expression, selects some by name, to find out which of them costs what.
std::vector<Attacker> SelectedAttackers() {
  std::vector<Attacker> attackers = AllAttackers();
  if (const char* names = std::getenv("OPENSEAT_ATTACKERS")) {
    const std::regex selected(names);
    std::erase_if(attackers, [&](const Attacker& attacker) { return !std::regex_match(attacker.name, selected); });
  } else {
    std::erase_if(attackers, [](const Attacker& attacker) { return attacker.from == From::kAdmin; });
  }
  return attackers;
}

}  // namespace

std::string ConfigForHorde(const ModelStandIn& model) {
  return model.Config() +
         "[access]\ngames = \"open\"\n[voice]\nmax_recorded_bytes = 100000000\n"
         "[sign_in]\nissuer = \"http://127.0.0.1:9\"\nclient_id = \"openseat\"\n"
         "public_url = \"http://127.0.0.1:8000\"\n";
}

void WriteGamesForHorde(const std::string& folder) {
  std::filesystem::create_directory(folder);
  WriteTextFile(folder + "/slow.js", LongSlowGame());
}

Horde::Horde(const Targets& targets)
    : counts_(new(mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Counts) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[1]);
    Attack(targets, ends[0], *counts_);
  }
  close(ends[0]);
  begin_ = ends[1];
}

void Horde::Attack(const Targets& targets, int begin, Counts& counts) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpriority(PRIO_PROCESS, 0, 19);
  char word = 0;
  if (read(begin, &word, 1) != 1) _exit(0);
  // A failure here does not fail the test.
  if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
  const std::vector<Attacker> attackers = SelectedAttackers();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < attackers.size(); ++i) {
    threads.emplace_back(
        [&targets, &attacker = attackers[i], &of = counts.of.at(i), address = "198.18.0." + std::to_string(1 + i)] {
          const net::TestClient::Counted counted(of.answers);
          std::optional<net::TestClient::Elsewhere> elsewhere;
          if (attacker.from == From::kElsewhere) elsewhere.emplace(address);
          for (;; ++of.rounds) {
            try {
              of.strikes += attacker.attack(targets);
            } catch (const std::exception&) {
              // An answer of another form than it expected.
            }
          }
        });
  }
  for (;;) pause();
}

Horde::~Horde() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (begin_ >= 0) close(begin_);
  munmap(counts_, sizeof(Counts));
}

void Horde::Begin() {
  (void)!write(begin_, "!", 1);
}

template <typename Is>
std::string Horde::NamesOf(Is is) const {
  std::string names;
  const std::vector<Attacker> attackers = SelectedAttackers();
  for (std::size_t i = 0; i < attackers.size(); ++i) {
    if (is(counts_->of.at(i))) names += (names.empty() ? "" : ", ") + std::string(attackers[i].name);
  }
  return names;
}

std::string Horde::Missing() const {
  return NamesOf([](const Counts::Of& of) { return of.strikes == 0; });
}

std::string Horde::Unanswered() const {
  return NamesOf([](const Counts::Of& of) { return of.answers == 0; });
}

std::string Horde::Text() const {
  std::string text;
  const std::vector<Attacker> attackers = SelectedAttackers();
  for (std::size_t i = 0; i < attackers.size(); ++i) {
    const Counts::Of& of = counts_->of.at(i);
    text += (i == 0 ? "" : ", ") + std::string(attackers[i].name) + " " + std::to_string(of.rounds.load()) + " (" +
            std::to_string(of.strikes.load()) + ")";
  }
  return text;
}

}  // namespace openseat::tests
