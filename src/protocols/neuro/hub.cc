#include "protocols/neuro/hub.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "base/secure_random.h"

namespace openseat::neuro {
namespace {

constexpr Duration kProbeTime = std::chrono::seconds(1);
constexpr std::size_t kMaxProbes = 64;  // a question

}  // namespace

TableId MakeTableId(std::string_view game) {
  constexpr std::size_t kMaxSlug = 32;
  std::string slug;
  for (const char c : game) {
    if (slug.size() == kMaxSlug) break;
    if (c >= 'A' && c <= 'Z') {
      slug += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      slug += c;
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  if (slug.empty()) slug = "game";
  return TableId(slug + "-" + SecureToken(6));
}

TablePlace Hub::Take(Waiting::iterator waiting, Scheduler& asker) {
  TablePlace place{waiting->second, nullptr, std::get<1>(waiting->first), false};
  waiting_.erase(waiting);
  Entry& entry = entries_.at(place.id);
  entry.released = 0;
  if (entry.home == nullptr) {
    entry.home = &asker;
    place.created = true;
    place.owner = entry.owner;
    place.earlier = std::exchange(entry.earlier, nullptr);
  }
  place.home = entry.home;
  return place;
}

void Hub::Wait(const TableId& id, Entry& entry) {
  entry.released = ++releases_;
  entry.since = scheduler_.clock().Monotonic();
  if (!entry.owner.empty()) waiting_.emplace(Place{entry.owner, entry.game, entry.released}, id);
}

Hub::Waiting::iterator Hub::Latest(const std::string& game, const std::string& owner) {
  const auto after = waiting_.upper_bound({owner, game, std::numeric_limits<std::uint64_t>::max()});
  const auto last = after == waiting_.begin() ? waiting_.end() : std::prev(after);
  const bool is = last != waiting_.end() && std::get<0>(last->first) == owner && std::get<1>(last->first) == game;
  return is ? last : waiting_.end();
}

void Hub::Claim(Scheduler& asker, std::string game, std::string owner, bool may_make, Claimed claimed) {
  scheduler_.Post(
      [this, &asker, game = std::move(game), owner = std::move(owner), may_make, claimed = std::move(claimed)] {
        std::optional<TablePlace> place;
        // The one that lost its connection last is the most likely one.
        if (const auto last = Latest(game, owner); last != waiting_.end()) {
          place = Take(last, asker);
        } else if (may_make) {
          int draws = 0;
          do {
            place = {MakeTableId(game), &asker, game, true, owner};
            // A node of a cluster that has no part of it now plays on without a record.
          } while ((!journal_.Owns(place->id) && ++draws < kNameDraws) ||
                   !entries_.try_emplace(place->id, Entry{&asker, game, owner}).second);
        }
        asker.Post([claimed, place = std::move(place)] { claimed(place); });
      });
}

void Hub::ClaimSilent(Scheduler& asker, std::string owner, Claimed claimed) {
  scheduler_.Post([this, &asker, owner = std::move(owner), claimed = std::move(claimed)] {
    const auto is_owners = [&](Waiting::iterator waiting) {
      return waiting != waiting_.end() && std::get<0>(waiting->first) == owner;
    };
    const auto first = waiting_.lower_bound({owner, "", 0});
    std::optional<TablePlace> place;
    if (is_owners(first) && !is_owners(std::next(first))) place = Take(first, asker);
    asker.Post([claimed, place = std::move(place)] { claimed(place); });
  });
}

void Hub::Enter(std::string game, std::string owner, std::uint64_t connection, Probe probe) {
  scheduler_.Post([this, place = Place{std::move(owner), std::move(game), connection}, probe = std::move(probe)] {
    connections_.insert_or_assign(place, probe);
  });
}

void Hub::Exit(std::string game, std::string owner, std::uint64_t connection) {
  scheduler_.Post([this, place = Place{std::move(owner), std::move(game), connection}] { connections_.erase(place); });
}

Hub::Waiters Hub::Count(const std::string& game, const std::string& owner) const {
  Waiters waiters;
  Instant latest;
  const auto first = waiting_.lower_bound({owner, game, 0});
  for (auto each = first; each != waiting_.end() && std::get<0>(each->first) == owner; ++each) {
    if (!game.empty() && std::get<1>(each->first) != game) break;
    latest = std::max(latest, entries_.at(each->second).since);
    ++waiters.count;
  }
  if (waiters.count > 0) waiters.latest = scheduler_.clock().Monotonic() - latest;
  return waiters;
}

void Hub::CountWaiting(Scheduler& asker, std::string game, std::string owner, std::uint64_t asking,
                       std::function<void(Waiters)> counted) {
  scheduler_.Post(
      [this, asking,
       question = std::make_shared<Question>(Question{&asker, std::move(game), std::move(owner), std::move(counted)})] {
        const std::uint64_t number = ++asked_;
        Question& asked = questions_.emplace(number, std::move(*question)).first->second;
        if (asked.game.empty() || Count(asked.game, asked.owner).count > 0) return Answer(number, true);
        std::vector<Probe> probes;
        const auto first = connections_.lower_bound({asked.owner, asked.game, 0});
        for (auto each = first; each != connections_.end() && probes.size() < kMaxProbes; ++each) {
          if (std::get<0>(each->first) != asked.owner || std::get<1>(each->first) != asked.game) break;
          if (std::get<2>(each->first) != asking) probes.push_back(each->second);
        }
        if (probes.empty()) return Answer(number, true);
        asked.unanswered = probes.size();
        asked.timer.Set(scheduler_, kProbeTime, [this, number] { Answer(number, false); });
        for (const Probe& probe : probes) {
          probe([this, number] {
            scheduler_.Post([this, number] {
              const auto found = questions_.find(number);
              if (found != questions_.end() && --found->second.unanswered == 0) Answer(number, true);
            });
          });
        }
      });
}

void Hub::Answer(std::uint64_t question, bool sure) {
  const Question asked = std::move(questions_.extract(question).mapped());
  Waiters waiters = Count(asked.game, asked.owner);
  waiters.sure = sure;
  asked.asker->Post([counted = asked.counted, waiters] { counted(waiters); });
}

void Hub::Adopt(std::shared_ptr<const EarlierTable> table, std::function<void(std::uint64_t wait)> waits) {
  scheduler_.Post([this, table = std::move(table), waits = std::move(waits)] {
    // Somebody made it and gave it back, or it was here before.
    const auto found = entries_.find(table->id);
    if (found != entries_.end() && found->second.released != 0) {
      waiting_.erase({found->second.owner, found->second.game, found->second.released});
    }
    Entry& entry = entries_[table->id];
    entry = Entry{nullptr, table->game, table->owner};
    entry.earlier = table;
    Wait(table->id, entry);
    waits(entry.released);
  });
}

void Hub::ForgetEarlier(TableId id, std::uint64_t wait, std::function<void()> forgotten) {
  scheduler_.Post([this, id = std::move(id), wait, forgotten = std::move(forgotten)] {
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.released != wait) return;
    waiting_.erase({found->second.owner, found->second.game, wait});
    entries_.erase(found);
    forgotten();
  });
}

void Hub::Leave(std::function<bool(const TableId&)> which, Task done) {
  scheduler_.Post([this, which = std::move(which), done = std::move(done)]() mutable {
    std::erase_if(waiting_, [&](const auto& waiting) { return which(waiting.second); });
    std::erase_if(entries_, [&](const auto& entry) { return which(entry.first); });
    done();
  });
}

void Hub::Release(TableId id) {
  scheduler_.Post([this, id = std::move(id)] {
    const auto found = entries_.find(id);
    if (found != entries_.end() && found->second.released == 0) Wait(id, found->second);
  });
}

void Hub::Forget(Scheduler& asker, TableId id, std::function<void()> forgotten) {
  scheduler_.Post([this, &asker, id = std::move(id), forgotten = std::move(forgotten)] {
    const auto found = entries_.find(id);
    if (found == entries_.end() || found->second.released == 0) return;
    const Entry& entry = found->second;
    waiting_.erase({entry.owner, entry.game, entry.released});
    entries_.erase(found);
    asker.Post([forgotten] { forgotten(); });
  });
}

}  // namespace openseat::neuro
