// The Registry contract, tested in memory, on SQLite and on NATS JetStream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>

#include "base/digest.h"
#include "core/registry.h"
#include "store/journal_test_support.h"
#include "store/nats_test_server.h"
#include "store/registry_format.h"
#include "store/registry_test_support.h"
#include "store/sqlite_registry.h"
#include "testing/fake_scheduler.h"
#include "testing/memory_registry.h"

namespace openseat::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

enum class Kind { kMemory, kSqlite, kNats };

class RegistryContract : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (GetParam() == Kind::kMemory) {
      registry_ = std::make_unique<openseat::testing::MemoryRegistry>(clock_);
    } else if (GetParam() == Kind::kSqlite) {
      auto opened = SqliteRegistry::Open(directory_.File(kRegistryFileName), clock_);
      OPENSEAT_CHECK(opened.has_value(), opened ? "" : opened.error().message.c_str());
      registry_ = std::move(*opened);
    } else if (NatsTestServer::installed()) {
      registry_ = MustOpenNatsRegistry(NatsTestServer::Shared(), NatsTestServer::NewCluster(), clock_);
    } else {
      GTEST_SKIP() << NatsTestServer::kMissing;
    }
  }

  template <typename T, typename Call>
  Result<T> Ask(const Call& call) {
    return AskRegistry<T>(scheduler_, call);
  }

  Result<Account> CreateAccount(std::string name) {
    return Ask<Account>([&](auto& scheduler, auto done) { registry_->CreateAccount(name, scheduler, done); });
  }
  Result<CreatedKey> CreateKey(NewKey wanted) {
    return Ask<CreatedKey>([&](auto& scheduler, auto done) { registry_->CreateKey(wanted, scheduler, done); });
  }
  Result<ApiKey> Authenticate(std::string secret) {
    return Ask<ApiKey>([&](auto& scheduler, auto done) { registry_->Authenticate(secret, scheduler, done); });
  }
  std::vector<ApiKey> Keys(bool with_minted = false) {
    return *Ask<std::vector<ApiKey>>(
        [&](auto& scheduler, auto done) { registry_->ListKeys(with_minted, scheduler, done); });
  }
  Result<StoredDeck> SaveDeck(StoredDeck deck) {
    return Ask<StoredDeck>([&](auto& scheduler, auto done) { registry_->SaveDeck(deck, scheduler, done); });
  }
  Result<StoredDeck> FindDeck(DeckId id) {
    return Ask<StoredDeck>([&](auto& scheduler, auto done) { registry_->FindDeck(id, scheduler, done); });
  }
  std::vector<std::string> Decks(DeckFilter filter) {
    const auto decks = *Ask<std::vector<StoredDeck>>(
        [&](auto& scheduler, auto done) { registry_->ListDecks(filter, scheduler, done); });
    std::vector<std::string> names;
    for (const StoredDeck& deck : decks) names.push_back(deck.list.name);
    return names;
  }

  static StoredDeck Deck(std::string name, std::string side = "corp") {
    StoredDeck deck;
    deck.list = {.name = std::move(name),
                 .game = "netrunner",
                 .side = std::move(side),
                 .format = "system-gateway",
                 .identity = "30035",
                 .cards = {{"30075", 3}, {"30036", 1}},
                 .notes = "two\nlines: \xC3\xA9"};
    return deck;
  }

  openseat::testing::FakeClock clock_;
  TemporaryDirectory directory_;
  MailboxScheduler scheduler_;
  std::unique_ptr<Registry> registry_;
};

INSTANTIATE_TEST_SUITE_P(All, RegistryContract, ::testing::Values(Kind::kMemory, Kind::kSqlite, Kind::kNats),
                         [](const auto& entry) {
                           if (entry.param == Kind::kNats) return "Nats";
                           return entry.param == Kind::kMemory ? "Memory" : "Sqlite";
                         });

TEST_P(RegistryContract, WhatComesOfAnAnswerIsChargedToWhoAsked) {
  const auto share = std::make_shared<LoopShare>();
  std::vector<LoopSharePtr> charged;
  {
    const LoopBill bill(share);
    const auto note = [&charged](const auto&) { charged.push_back(LoopBill::Current()); };
    registry_->CreateAccount("Alex", scheduler_, note);
    registry_->Authenticate("a wrong key", scheduler_, note);
  }
  while (charged.size() < 2) scheduler_.RunSome();
  EXPECT_THAT(charged, ElementsAre(share, share));
}

TEST_P(RegistryContract, AccountsHaveUniqueNames) {
  const Result<Account> alex = CreateAccount("Alex");
  ASSERT_TRUE(alex) << alex.error().message;
  EXPECT_THAT(alex->id.str(), StartsWith("a-"));
  EXPECT_EQ(alex->created, clock_.Now());
  EXPECT_EQ(CreateAccount("alex").error().code, ErrorCode::kConflict);
  EXPECT_EQ(CreateAccount("").error().code, ErrorCode::kInvalid);
  EXPECT_EQ(CreateAccount(" a").error().code, ErrorCode::kInvalid);
  EXPECT_EQ(CreateAccount("a\nb").error().code, ErrorCode::kInvalid);
  EXPECT_EQ(CreateAccount(std::string(201, 'x')).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(CreateAccount("\xFF").error().code, ErrorCode::kInvalid);
  ASSERT_TRUE(CreateAccount("Aaron"));

  const auto all =
      *Ask<std::vector<Account>>([&](auto& scheduler, auto done) { registry_->ListAccounts(scheduler, done); });
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "Aaron");
  EXPECT_EQ(all[1].name, "Alex");
  const auto find = [&](std::string text) {
    return Ask<Account>([&](auto& scheduler, auto done) { registry_->FindAccount(text, scheduler, done); });
  };
  EXPECT_EQ(find("ALEX")->id, alex->id);
  EXPECT_EQ(find(alex->id.str())->name, "Alex");
  EXPECT_EQ(find("Bo").error().code, ErrorCode::kNotFound);
}

TEST_P(RegistryContract, DeletingAnAccountRevokesItsKeysAndDeletesItsDecks) {
  const Account alex = *CreateAccount("Alex");
  const CreatedKey hers = *CreateKey({.label = "hers", .account = alex.id});
  const CreatedKey other = *CreateKey({.label = "other"});
  StoredDeck deck = Deck("hers");
  deck.account = alex.id;
  ASSERT_TRUE(SaveDeck(deck));
  ASSERT_TRUE(SaveDeck(Deck("other")));
  const auto remove = [&] {
    return Ask<Account>([&](auto& scheduler, auto done) { registry_->DeleteAccount(alex.id, scheduler, done); });
  };
  EXPECT_EQ(remove()->name, "Alex");
  EXPECT_EQ(remove().error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Authenticate(hers.secret).error().code, ErrorCode::kDenied);
  EXPECT_TRUE(Authenticate(other.secret));
  EXPECT_THAT(Decks({}), ElementsAre("other"));
  EXPECT_TRUE(CreateAccount("Alex"));
}

TEST_P(RegistryContract, AKeyIsShownOnceWorksAndIsRevoked) {
  const Result<CreatedKey> made = CreateKey({.label = "my bot"});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->secret, StartsWith("osk_"));
  EXPECT_EQ(made->secret.size(), kKeySecretLength);
  EXPECT_EQ(made->key.hint, made->secret.substr(0, 8));
  EXPECT_FALSE(made->key.last_used);

  clock_.elapsed += std::chrono::seconds(5);
  const Result<ApiKey> used = Authenticate(made->secret);
  ASSERT_TRUE(used) << used.error().message;
  EXPECT_EQ(used->id, made->key.id);
  EXPECT_EQ(used->last_used, clock_.Now());
  EXPECT_EQ(Authenticate(made->secret + "x").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Authenticate("").error().code, ErrorCode::kNotFound);
  // The hash does not give access.
  EXPECT_EQ(Authenticate(Sha256Hex(made->secret)).error().code, ErrorCode::kNotFound);

  const auto revoke = [&](KeyId id) {
    return Ask<ApiKey>([&](auto& scheduler, auto done) { registry_->RevokeKey(id, scheduler, done); });
  };
  clock_.elapsed += std::chrono::seconds(5);
  const Time revoked = clock_.Now();
  EXPECT_EQ(revoke(made->key.id)->revoked, revoked);
  clock_.elapsed += std::chrono::seconds(5);
  EXPECT_EQ(revoke(made->key.id)->revoked, revoked);
  EXPECT_EQ(revoke(KeyId("k-none")).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Authenticate(made->secret).error().code, ErrorCode::kDenied);
  ASSERT_EQ(Keys().size(), 1u);
  EXPECT_EQ(Keys()[0].revoked, revoked);
}

TEST_P(RegistryContract, MintedKeysAreListedOnRequestAndForgotten) {
  const CreatedKey person = *CreateKey({.label = "person"});
  const CreatedKey seat = *CreateKey({.label = "seat", .minted = true});
  ASSERT_EQ(Keys().size(), 1u);
  EXPECT_EQ(Keys()[0].id, person.key.id);
  ASSERT_EQ(Keys(true).size(), 2u);
  EXPECT_EQ(Keys(true)[0].id, seat.key.id);
  const auto forget = [&] {
    return Ask<ApiKey>([&](auto& scheduler, auto done) { registry_->ForgetKey(seat.key.id, scheduler, done); });
  };
  EXPECT_EQ(forget()->label, "seat");
  EXPECT_EQ(forget().error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Authenticate(seat.secret).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Keys(true).size(), 1u);
}

TEST_P(RegistryContract, KeysOfAccountsThatAreNotThereAreRefused) {
  const Result<CreatedKey> made = CreateKey({.label = "x", .account = AccountId("a-none")});
  EXPECT_EQ(made.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(made.error().path, "account");
  EXPECT_EQ(CreateKey({.label = "two\nlines"}).error().code, ErrorCode::kInvalid);
  EXPECT_THAT(Keys(true), IsEmpty());
}

TEST_P(RegistryContract, DecksAreKeptReplacedListedAndDeleted) {
  const Result<StoredDeck> saved = SaveDeck(Deck("beta"));
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_EQ(FindDeck(saved->id)->list, Deck("beta").list);
  const Time created = clock_.Now();
  clock_.elapsed += std::chrono::seconds(1);
  StoredDeck changed = *saved;
  changed.list.cards = {{"30037", 2}};
  changed.list.name = "Gamma";
  ASSERT_TRUE(SaveDeck(changed));
  const Result<StoredDeck> found = FindDeck(saved->id);
  EXPECT_EQ(found->list, changed.list);
  EXPECT_EQ(found->created, created);
  EXPECT_EQ(found->changed, clock_.Now());

  const Account alex = *CreateAccount("Alex");
  StoredDeck hers = Deck("alpha", "runner");
  hers.account = alex.id;
  ASSERT_TRUE(SaveDeck(hers));
  EXPECT_THAT(Decks({}), ElementsAre("alpha", "Gamma"));
  EXPECT_THAT(Decks({.side = "runner"}), ElementsAre("alpha"));
  EXPECT_THAT(Decks({.game = "netrunner", .account = AccountId()}), ElementsAre("Gamma"));
  EXPECT_THAT(Decks({.account = alex.id}), ElementsAre("alpha"));
  EXPECT_THAT(Decks({.game = "chess"}), IsEmpty());

  const auto remove = [&] {
    return Ask<StoredDeck>([&](auto& scheduler, auto done) { registry_->DeleteDeck(saved->id, scheduler, done); });
  };
  EXPECT_EQ(remove()->list.name, "Gamma");
  EXPECT_EQ(remove().error().code, ErrorCode::kNotFound);
  EXPECT_EQ(FindDeck(saved->id).error().code, ErrorCode::kNotFound);
}

TEST_P(RegistryContract, AnAccountHasNoMoreNewDecksThanItsLimit) {
  const Account alex = *CreateAccount("Alex");
  const auto save = [&](StoredDeck deck) {
    return Ask<StoredDeck>([&](auto& scheduler, auto done) { registry_->SaveDeck(deck, scheduler, done, 2); });
  };
  StoredDeck deck = Deck("hers");
  deck.account = alex.id;
  // All of them are under way at once.
  std::vector<Result<StoredDeck>> results;
  for (int i = 0; i < 5; ++i) {
    registry_->SaveDeck(deck, scheduler_, [&](Result<StoredDeck> saved) { results.push_back(std::move(saved)); }, 2);
  }
  while (results.size() < 5) scheduler_.RunSome();
  EXPECT_EQ(std::ranges::count_if(results, [](const auto& saved) { return saved.has_value(); }), 2);
  EXPECT_EQ(results[4].error().code, ErrorCode::kConflict);
  ASSERT_TRUE(results[0]);
  EXPECT_TRUE(save(*results[0])) << "it replaces a deck";
  EXPECT_TRUE(save(Deck("nobody's")));
  EXPECT_TRUE(SaveDeck(deck)) << "there is no limit";
}

TEST_P(RegistryContract, WhatNoDeckCanBeIsRefused) {
  const auto refused = [&](auto change) {
    StoredDeck deck = Deck("x");
    change(deck);
    const Result<StoredDeck> saved = SaveDeck(deck);
    return saved ? std::string("saved") : std::string(ErrorCodeName(saved.error().code)) + " " + saved.error().path;
  };
  EXPECT_EQ(refused([](StoredDeck& deck) { deck.list.name = ""; }), "invalid name");
  EXPECT_EQ(refused([](StoredDeck& deck) { deck.list.game = ""; }), "invalid game");
  EXPECT_EQ(refused([](StoredDeck& deck) { deck.list.cards["30075"] = 0; }), "invalid cards");
  EXPECT_EQ(refused([](StoredDeck& deck) { deck.list.cards["30075"] = 100; }), "invalid cards");
  EXPECT_EQ(refused([](StoredDeck& deck) { deck.list.notes = std::string(16385, 'x'); }), "invalid notes");
  EXPECT_EQ(refused([](StoredDeck& deck) { deck.account = AccountId("a-none"); }), "not-found account");
  EXPECT_EQ(refused([](StoredDeck& deck) { deck.id = DeckId("d-none"); }), "not-found ");
  EXPECT_THAT(Decks({}), IsEmpty());
}

TEST_P(RegistryContract, WebhookTargetsKeepTheirKeys) {
  const auto save = [&](WebhookTarget target) {
    return Ask<WebhookTarget>([&](auto& scheduler, auto done) { registry_->SaveWebhook(target, scheduler, done); });
  };
  const Result<WebhookTarget> saved =
      save({.id = {}, .url = "https://agent.example/hook", .key = "s3cret", .created = {}});
  ASSERT_TRUE(saved) << saved.error().message;
  const auto find = [&] {
    return Ask<WebhookTarget>([&](auto& scheduler, auto done) { registry_->FindWebhook(saved->id, scheduler, done); });
  };
  EXPECT_EQ(find()->url, "https://agent.example/hook");
  EXPECT_EQ(find()->key, "s3cret");
  ASSERT_TRUE(save({.id = saved->id, .url = "https://agent.example/other", .key = "", .created = {}}));
  EXPECT_EQ(find()->url, "https://agent.example/other");
  EXPECT_EQ(save({.id = {}, .url = "", .key = "", .created = {}}).error().path, "url");
  EXPECT_EQ(save({.id = {}, .url = "x", .key = "a\r\nX-Evil: 1", .created = {}}).error().path, "key");
  EXPECT_EQ(save({.id = WebhookId("w-none"), .url = "x", .key = "", .created = {}}).error().code, ErrorCode::kNotFound);
  const auto forget = [&] {
    return Ask<WebhookTarget>(
        [&](auto& scheduler, auto done) { registry_->ForgetWebhook(saved->id, scheduler, done); });
  };
  EXPECT_TRUE(forget());
  EXPECT_EQ(forget().error().code, ErrorCode::kNotFound);
  EXPECT_EQ(find().error().code, ErrorCode::kNotFound);
}

TEST_P(RegistryContract, AnOutboxKeepsWhatWasNotTold) {
  const WebhookId id =
      Ask<WebhookTarget>([&](auto& scheduler, auto done) {
        registry_->SaveWebhook({.id = {}, .url = "http://x/", .key = "k", .created = {}}, scheduler, done);
      })->id;
  const auto read = [&] {
    return Ask<WebhookOutbox>([&](auto& scheduler, auto done) { registry_->ReadOutbox(id, scheduler, done); });
  };
  const auto add = [&](std::string memory, std::vector<StoredDelivery> added) {
    return Ask<WebhookId>(
        [&](auto& scheduler, auto done) { registry_->AddToOutbox(id, memory, added, scheduler, done); });
  };
  const auto take = [&](std::uint64_t sequence) {
    return Ask<WebhookId>(
        [&](auto& scheduler, auto done) { registry_->TakeFromOutbox(id, sequence, scheduler, done); });
  };
  const auto sequences = [&] {
    std::vector<std::uint64_t> out;
    const Result<WebhookOutbox> outbox = read();
    for (const StoredDelivery& each : outbox->waiting) out.push_back(each.sequence);
    return out;
  };
  EXPECT_EQ(read()->sequence, 0u);
  EXPECT_THAT(sequences(), IsEmpty());
  const Time now = clock_.Now();
  ASSERT_TRUE(add("first", {{1, "id-1", "prompt", R"({"a":1})", now}, {2, "id-2", "waiting", "{}", now}}));
  ASSERT_TRUE(add("second", {{3, "id-3", "game-ended", "{}", now}}));
  ASSERT_TRUE(take(1));
  EXPECT_THAT(sequences(), ElementsAre(2, 3));
  EXPECT_EQ(read()->memory, "second");
  EXPECT_EQ(read()->waiting.back().id, "id-3");
  EXPECT_EQ(read()->waiting.back().event, "game-ended");
  EXPECT_EQ(read()->waiting.back().body, "{}");
  EXPECT_EQ(read()->waiting.back().made, now);
  ASSERT_TRUE(take(9));
  EXPECT_THAT(sequences(), IsEmpty());
  EXPECT_EQ(read()->sequence, 3u) << "the numbers go on";
  ASSERT_TRUE(add("third", {{4, "id-4", "prompt", "{}", now}}));
  EXPECT_EQ(add("other", {{4, "id-x", "prompt", "{}", now}}).error().code, ErrorCode::kConflict);
  EXPECT_EQ(read()->memory, "third");
  EXPECT_EQ(read()->waiting.back().id, "id-4");
  ASSERT_TRUE(Ask<WebhookTarget>([&](auto& scheduler, auto done) { registry_->ForgetWebhook(id, scheduler, done); }));
  EXPECT_EQ(read().error().code, ErrorCode::kNotFound);
  EXPECT_EQ(add("late", {{5, "id-5", "prompt", "{}", now}}).error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(take(5)) << "there is nothing to take, which is what was asked for";
}

TEST_P(RegistryContract, OnlyTheTargetsThatAreNeededAreKept) {
  if (GetParam() == Kind::kNats) GTEST_SKIP() << "a node of a cluster keeps all";
  const auto save = [&](const char* url) {
    return Ask<WebhookTarget>([&](auto& scheduler, auto done) {
             registry_->SaveWebhook({.id = {}, .url = url, .key = "k", .created = {}}, scheduler, done);
           })
        ->id;
  };
  const auto keep = [&](const std::vector<WebhookId>& kept) {
    return Ask<std::size_t>([&](auto& scheduler, auto done) { registry_->KeepWebhooks(kept, scheduler, done); });
  };
  const auto read = [&](const WebhookId& id) {
    return Ask<WebhookOutbox>([&](auto& scheduler, auto done) { registry_->ReadOutbox(id, scheduler, done); });
  };
  EXPECT_EQ(*keep({}), 0u);
  const WebhookId needed = save("http://needed/");
  const WebhookId other = save("http://other/");
  for (const WebhookId& id : {needed, other}) {
    ASSERT_TRUE(Ask<WebhookId>([&](auto& scheduler, auto done) {
      registry_->AddToOutbox(id, "memory", {{1, "id-1", "prompt", "{}", clock_.Now()}}, scheduler, done);
    }));
  }
  EXPECT_EQ(*keep({needed, WebhookId("w-none")}), 1u);
  EXPECT_EQ(read(other).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read(needed)->waiting.size(), 1u);
  EXPECT_EQ(read(needed)->memory, "memory");
  EXPECT_EQ(*keep({needed}), 0u);
  EXPECT_EQ(*keep({}), 1u);
  EXPECT_EQ(read(needed).error().code, ErrorCode::kNotFound);
}

TEST_P(RegistryContract, GamesHaveVersionsOfWhichOneIsOffered) {
  using Files = std::vector<StoredFile>;
  const auto save = [&](const char* id, int version, const Files& files) {
    return Ask<StoredGame>(
        [&](auto& scheduler, auto done) { registry_->SaveGame(id, version, files, scheduler, done); });
  };
  const auto list = [&] {
    return *Ask<std::vector<StoredGame>>(
        [&](auto& scheduler, auto done) { registry_->ListGames(true, scheduler, done); });
  };
  const auto read = [&](const char* id, int version) {
    return Ask<Files>([&](auto& scheduler, auto done) { registry_->ReadGame(id, version, scheduler, done); });
  };
  const auto withdraw = [&](const char* id) {
    return Ask<StoredGame>([&](auto& scheduler, auto done) { registry_->WithdrawGame(id, scheduler, done); });
  };
  const auto keep = [&](const char* id, const std::vector<int>& kept) {
    return *Ask<std::size_t>(
        [&](auto& scheduler, auto done) { registry_->KeepGameVersions(id, kept, scheduler, done); });
  };
  const Time now = clock_.Now();
  EXPECT_THAT(list(), IsEmpty());
  const Files first{{"nim.js", "one\n\xC3\xA9\x01"}, {"a/b.js", ""}};
  ASSERT_EQ(*save("nim", 2, first), (StoredGame{"nim", 2, true, now}));
  ASSERT_TRUE(save("nim", 1, {{"nim.js", "two"}}));
  ASSERT_TRUE(save("go", 7, {{"go.js", "go"}}));
  EXPECT_THAT(list(), ElementsAre(StoredGame{"go", 7, true, now}, StoredGame{"nim", 1, true, now},
                                  StoredGame{"nim", 2, false, now}));
  EXPECT_EQ(*read("nim", 2), first);
  EXPECT_EQ(read("nim", 3).error().code, ErrorCode::kNotFound);
  // A version that is there keeps its files and its time, and is offered again.
  clock_.elapsed += std::chrono::seconds(1);
  EXPECT_EQ(*save("nim", 2, {{"nim.js", "other"}}), (StoredGame{"nim", 2, true, now}));
  EXPECT_EQ(*read("nim", 2), first);
  EXPECT_EQ(keep("nim", {}), 1u) << "all but the one that is offered";
  ASSERT_TRUE(save("nim", 1, {{"nim.js", "two"}}));
  EXPECT_EQ(withdraw("nim")->version, 1);
  EXPECT_EQ(withdraw("nim").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(list().size(), 3u);
  EXPECT_EQ(keep("nim", {2, 99}), 1u);
  EXPECT_EQ(keep("nim", {2}), 0u);
  EXPECT_THAT(list(), ElementsAre(StoredGame{"go", 7, true, now}, StoredGame{"nim", 2, false, now}));
  EXPECT_EQ(keep("nim", {}), 1u);

  // The largest that a script may be, of bytes that take the most in JSON.
  EXPECT_TRUE(save("large", 1, {{"large.js", std::string(kMaxGameBytes, '\x01')}}));
  EXPECT_EQ(read("large", 1)->front().text.size(), kMaxGameBytes);
  for (const Files& wrong : {Files(), Files(kMaxGameFiles + 1, {"a.js", "a"}), Files{{"", "a"}},
                             Files{{"a.js", std::string(kMaxGameBytes + 1, 'x')}}, Files{{"a.js", "\xFF"}}}) {
    EXPECT_EQ(save("wrong", 1, wrong).error().code, ErrorCode::kInvalid);
  }
  EXPECT_EQ(save("", 1, first).error().code, ErrorCode::kInvalid);
}

TEST_P(RegistryContract, KeepsSoManyVersionsOfGames) {
  const auto save = [&](int version) {
    return Ask<StoredGame>(
        [&](auto& scheduler, auto done) { registry_->SaveGame("nim", version, {{"nim.js", "x"}}, scheduler, done); });
  };
  const int most = static_cast<int>(kMaxGameVersions);
  for (int i = 0; i < most; ++i) {
    registry_->SaveGame("nim", i, {{"nim.js", "x"}}, scheduler_, nullptr);
  }
  EXPECT_EQ(save(most).error().code, ErrorCode::kTooLarge);
  EXPECT_TRUE(save(0)->offered) << "it is there";
}

TEST_P(RegistryContract, ASharedTextIsReplacedByWhoKnowsIt) {
  const auto find = [&](const char* name) {
    return *Ask<std::string>([&](auto& scheduler, auto done) { registry_->FindShared(name, scheduler, done); });
  };
  const auto replace = [&](const char* before, const std::string& text) {
    return Ask<std::string>(
        [&](auto& scheduler, auto done) { registry_->ReplaceShared("one", before, text, scheduler, done); });
  };
  EXPECT_EQ(find("one"), "");
  EXPECT_EQ(*replace("a", "b"), "");
  EXPECT_EQ(*replace("", "a"), "a");
  EXPECT_EQ(*replace("", "b"), "a");
  EXPECT_EQ(*replace("a", "b"), "b");
  EXPECT_EQ(find("one"), "b");
  EXPECT_EQ(find("two"), "");
  EXPECT_EQ(replace("b", std::string(201, 'x')).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(*replace("b", ""), "");
  EXPECT_EQ(find("one"), "");
}

TEST_P(RegistryContract, TellsOfGamesAndSharedTexts) {
  std::atomic<int> told = 0;
  registry_->Watch([&told] { ++told; });
  int before = 0;
  const auto changed = [&](const char* what) {
    WaitUntil(what, [&] { return told > before; });
    before = told;
  };
  registry_->SaveGame("nim", 1, {{"nim.js", "x"}}, scheduler_, nullptr);
  changed("a game was saved");
  registry_->WithdrawGame("nim", scheduler_, nullptr);
  changed("it was withdrawn");
  registry_->KeepGameVersions("nim", {}, scheduler_, nullptr);
  changed("it was forgotten");
  registry_->ReplaceShared("name", "", "text", scheduler_, nullptr);
  changed("a text was replaced");
  registry_->Watch(nullptr);
  registry_->ReplaceShared("name", "text", "", scheduler_, nullptr);
  registry_.reset();
  EXPECT_EQ(told, before);
}

TEST_P(RegistryContract, NobodyNeedsToWait) {
  registry_->CreateAccount("quiet", scheduler_, nullptr);
  registry_->CreateAccount("", scheduler_, nullptr);
  WaitUntil("the account is there", [&] {
    return Ask<Account>([&](auto& scheduler, auto done) { registry_->FindAccount("quiet", scheduler, done); })
        .has_value();
  });
}

}  // namespace
}  // namespace openseat::store
