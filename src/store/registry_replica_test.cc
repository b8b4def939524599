// The log of a cluster's registry without a network: headers, bodies, commands, and that all replicas are the same.
#include "store/registry_replica.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace openseat::store {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

const Time kAt = Time(std::chrono::seconds(1'800'000'000));

std::unique_ptr<RegistryReplica> MakeReplica(std::string_view snapshot = {}) {
  auto made = RegistryReplica::Make(snapshot);
  EXPECT_TRUE(made) << made.error().message;
  return std::move(*made);
}

// What its commands answer with; nullopt: it did not count.
std::optional<RegistryReplica::Outcomes> ApplyTo(RegistryReplica& replica, std::uint64_t session, std::uint64_t number,
                                                 const std::vector<std::string>& commands) {
  auto outcomes = replica.Apply({session, number, 0, 0}, WriteMessage({commands.begin(), commands.end()}));
  EXPECT_TRUE(outcomes) << outcomes.error().message;
  return std::move(*outcomes);
}

// Everything that a client can see of accounts and keys.
std::string Look(RegistryReplica& replica) {
  std::string out;
  const std::vector<Account> accounts = *replica.database().ListAccounts();
  for (const Account& account : accounts) {
    out += account.id.str() + " " + account.name + " " + FormatIso8601(account.created) + "\n";
  }
  const std::vector<ApiKey> keys = *replica.database().ListKeys(true);
  for (const ApiKey& key : keys) {
    out += key.id.str() + " " + key.label + " " + key.hint + (key.revoked ? " revoked" : "") + "\n";
  }
  return out;
}

TEST(RegistryStampTest, ReadsWhatIsWritten) {
  const RegistryStamp commands{0xFFFFFFFFFFFFFFFF, 17, 0, 0};
  EXPECT_EQ(WriteRegistryStamp(commands), "1 18446744073709551615 17 0 0");
  EXPECT_EQ(ReadRegistryStamp(WriteRegistryStamp(commands)), commands);
  const RegistryStamp part{5, 1000, 2, 3};
  EXPECT_EQ(ReadRegistryStamp(WriteRegistryStamp(part)), part);
}

TEST(RegistryStampTest, RefusesWhatIsNotWritten) {
  for (const char* text : {"", "1", "1 2 3 4", "1 2 3 0 0 ", "1 2 3 0 0 0", " 1 2 3 0 0", "1 2 3 1 0", "1 2 3 0 1",
                           "1 2 3 3 2", "1 02 3 0 0", "1 -2 3 0 0", "1 2 3 1 99999999", "one"}) {
    EXPECT_EQ(ReadRegistryStamp(text).error().code, ErrorCode::kParse) << text;
  }
  EXPECT_EQ(ReadRegistryStamp("2 anything").error().code, ErrorCode::kUnsupported);
}

TEST(RegistryPackTest, ReadsWhatIsWrittenAndNothingElse) {
  for (const std::string& text : {std::string(), std::string("{}"), std::string(100'000, 'x')}) {
    const std::string packed = Pack(text);
    EXPECT_EQ(Unpack(packed, text.size()), text);
    if (!text.empty()) {
      EXPECT_EQ(Unpack(packed, text.size() - 1).error().code, ErrorCode::kTooLarge);
    }
    EXPECT_EQ(Unpack(packed.substr(0, packed.size() - 1), 1 << 20).error().code, ErrorCode::kParse);
    EXPECT_EQ(Unpack(packed + "x", 1 << 20).error().code, ErrorCode::kParse);
  }
  EXPECT_LT(Pack(std::string(100'000, 'x')).size(), 2000u);
  EXPECT_EQ(Unpack("short", 100).error().code, ErrorCode::kParse);
  std::string large;
  AppendSize(large, std::uint64_t{1} << 40);
  EXPECT_EQ(Unpack(large + "x", std::size_t{1} << 50).error().code, ErrorCode::kParse) << "and reserves no memory";
}

TEST(RegistryReplicaTest, AllReplicasOfALogAreTheSame) {
  const auto one = MakeReplica();
  const auto two = MakeReplica();
  const std::string secret = NewKeySecret();
  for (RegistryReplica* replica : {one.get(), two.get()}) {
    const auto made = ApplyTo(*replica, 7, 1, {CreateAccountCommand(kAt, "Alex"), CreateAccountCommand(kAt, "alex")});
    ASSERT_THAT(*made, SizeIs(2));
    EXPECT_THAT(std::get<Account>(*made->at(0)).id.str(), StartsWith("a-"));
    EXPECT_EQ(made->at(1).error().code, ErrorCode::kConflict);
    EXPECT_EQ(ApplyTo(*replica, 8, 1, {CreateAccountCommand(kAt, "ALEX")})->at(0).error().code, ErrorCode::kConflict);
    const auto key = ApplyTo(*replica, 8, 2, {CreateKeyCommand(kAt, {.label = "bot"}, secret)});
    ASSERT_TRUE(ApplyTo(*replica, 7, 2, {RevokeKeyCommand(kAt, std::get<ApiKey>(*key->at(0)).id)})->at(0));
  }
  EXPECT_THAT(Look(*one), HasSubstr("revoked"));
  EXPECT_EQ(Look(*one), Look(*two));
}

TEST(RegistryReplicaTest, EveryMessageCountsOnceInTheOrderOfItsSession) {
  const auto replica = MakeReplica();
  EXPECT_TRUE(ApplyTo(*replica, 7, 1, {CreateAccountCommand(kAt, "one")}));
  EXPECT_FALSE(ApplyTo(*replica, 7, 1, {CreateAccountCommand(kAt, "again")}));
  EXPECT_FALSE(ApplyTo(*replica, 7, 3, {CreateAccountCommand(kAt, "early")}));
  EXPECT_FALSE(ApplyTo(*replica, 9, 0, {CreateAccountCommand(kAt, "none")}));
  EXPECT_TRUE(ApplyTo(*replica, 7, 2, {CreateAccountCommand(kAt, "two")}));
  EXPECT_TRUE(ApplyTo(*replica, 9, 1, {}));
  EXPECT_EQ(replica->LastOf(7), 2u);
  EXPECT_EQ(replica->LastOf(9), 1u);
  EXPECT_EQ(replica->LastOf(1), 0u);
  EXPECT_THAT(*replica->database().ListAccounts(), SizeIs(2));
}

TEST(RegistryReplicaTest, GoesOnFromASnapshotAsIfItHadReadEverything) {
  const auto whole = MakeReplica();
  ApplyTo(*whole, 7, 1, {CreateAccountCommand(kAt, "Alex"), CreateKeyCommand(kAt, {.label = "bot"}, NewKeySecret())});
  ApplyTo(*whole, 0xFFFFFFFFFFFFFFFF, 1,
          {SaveWebhookCommand(kAt, {.id = {}, .url = "http://x/", .key = "k", .created = {}})});
  const auto late = MakeReplica(*whole->Snapshot());
  EXPECT_EQ(Look(*late), Look(*whole));
  EXPECT_EQ(late->LastOf(0xFFFFFFFFFFFFFFFF), 1u);
  for (RegistryReplica* replica : {whole.get(), late.get()}) {
    EXPECT_FALSE(ApplyTo(*replica, 7, 1, {CreateAccountCommand(kAt, "again")}));
    EXPECT_TRUE(ApplyTo(*replica, 7, 2, {CreateAccountCommand(kAt, "Bo")})->at(0));
  }
  EXPECT_EQ(Look(*late), Look(*whole));
}

// A snapshot of a program whose registry had no games.
TEST(RegistryReplicaTest, ReadsASnapshotOfAnEarlierVersion) {
  const auto replica = MakeReplica();
  ApplyTo(*replica, 7, 1, {CreateAccountCommand(kAt, "Alex")});
  const std::string snapshot = *replica->Snapshot();
  std::string_view rest = snapshot;
  const std::size_t about = 8 + *TakeSize(rest);
  auto database = std::move(*Database::Open(":memory:", Database::Mode::kReadWrite));
  ASSERT_TRUE(database.Load(std::string_view(snapshot).substr(about)));
  ASSERT_TRUE(
      database.Execute("DROP TABLE game_versions; DROP TABLE games; DROP TABLE shared; PRAGMA user_version = 2"));
  const auto late = MakeReplica(snapshot.substr(0, about) + *database.Image());
  EXPECT_EQ(Look(*late), Look(*replica));
  EXPECT_TRUE(ApplyTo(*late, 7, 2, {SaveGameCommand(kAt, "nim", 1, {{"nim.js", "x"}})})->at(0));
  EXPECT_EQ(late->watched(), 1u);
}

TEST(RegistryReplicaTest, DamagedSnapshotsAreRefused) {
  const auto replica = MakeReplica();
  ApplyTo(*replica, 7, 1, {CreateAccountCommand(kAt, "Alex")});
  const std::string snapshot = *replica->Snapshot();
  for (const std::size_t size : {std::size_t{1}, std::size_t{8}, std::size_t{20}, std::size_t{60}}) {
    EXPECT_FALSE(RegistryReplica::Make(std::string_view(snapshot).substr(0, size))) << size;
  }
  std::string other = snapshot;
  other.replace(other.find("SQLite"), 6, "sqlite");
  EXPECT_FALSE(RegistryReplica::Make(other));
}

TEST(RegistryReplicaTest, WhatWasDeletedIsInNoSnapshot) {
  const auto replica = MakeReplica();
  const WebhookTarget wanted{.id = {}, .url = "http://x/", .key = "the key of a target", .created = {}};
  const auto made = ApplyTo(*replica, 1, 1, {SaveWebhookCommand(kAt, wanted)});
  EXPECT_THAT(*replica->Snapshot(), HasSubstr(wanted.key));
  ApplyTo(*replica, 1, 2, {ForgetWebhookCommand(kAt, std::get<WebhookTarget>(*made->at(0)).id)});
  EXPECT_THAT(*replica->Snapshot(), Not(HasSubstr(wanted.key)));
}

TEST(RegistryReplicaTest, ANewDeckUnderALimitIsACommandOfItsOwn) {
  StoredDeck deck;
  deck.list.name = "x";
  deck.list.game = "netrunner";
  EXPECT_THAT(SaveDeckCommand(kAt, deck, 0), HasSubstr(R"("do":"save-deck")"));
  EXPECT_THAT(SaveDeckCommand(kAt, deck, 1), HasSubstr(R"("do":"save-new-deck")"));
  const auto replica = MakeReplica();
  const auto account = ApplyTo(*replica, 1, 1, {CreateAccountCommand(kAt, "Alex")});
  deck.account = std::get<Account>(*account->at(0)).id;
  const std::string limited = SaveDeckCommand(kAt, deck, 1);
  const auto saved = ApplyTo(*replica, 1, 2, {limited, limited, SaveDeckCommand(kAt, deck, 0)});
  ASSERT_TRUE(saved->at(0)) << saved->at(0).error().message;
  EXPECT_EQ(saved->at(1).error().code, ErrorCode::kConflict);
  EXPECT_TRUE(saved->at(2)) << "there is no limit";
  deck.id = std::get<StoredDeck>(*saved->at(0)).id;
  const std::string replaces = SaveDeckCommand(kAt, deck, 1);
  EXPECT_THAT(replaces, HasSubstr(R"("do":"save-deck")"));
  EXPECT_THAT(replaces, Not(HasSubstr("most")));
  EXPECT_TRUE(ApplyTo(*replica, 1, 3, {replaces})->at(0));
}

TEST(RegistryReplicaTest, ADeckOfAnEarlierProgramIsKeptAsItWas) {
  StoredDeck deck;
  deck.list.name = "x";
  deck.list.game = "netrunner";
  deck.list.cards = {{"30075", 1000}};
  const auto replica = MakeReplica();
  const auto saved = ApplyTo(*replica, 1, 1, {SaveDeckCommand(kAt, deck, 0)});
  ASSERT_TRUE(saved->at(0)) << saved->at(0).error().message;
  const auto decks = replica->database().ListDecks({});
  ASSERT_TRUE(decks) << decks.error().message;
  ASSERT_THAT(*decks, SizeIs(1));
  EXPECT_EQ(decks->front().list, deck.list);
  deck.list.cards = {{"30075", 1001}};
  EXPECT_EQ(ApplyTo(*replica, 1, 2, {SaveDeckCommand(kAt, deck, 0)})->at(0).error().path, "cards");
}

TEST(RegistryReplicaTest, WhatItDoesNotUnderstandStopsIt) {
  const auto refused = [](std::string_view text) {
    const auto replica = MakeReplica();
    const auto applied = replica->Apply({1, 1, 0, 0}, text);
    return applied ? std::string("applied") : std::string(ErrorCodeName(applied.error().code));
  };
  EXPECT_EQ(refused("not JSON"), "parse");
  EXPECT_EQ(refused("{}"), "parse");
  EXPECT_EQ(refused(R"({"commands":[{"do":"create-account","name":"x"}]})"), "parse");
  EXPECT_EQ(refused(R"({"commands":[{"do":"create-account","at":1}]})"), "parse");
  EXPECT_EQ(refused(R"({"commands":[{"do":"save-deck","at":1,"id":"","account":"","name":"x","game":"g",)"
                    R"("side":"","format":"","identity":"","notes":"","cards":{"a":99999999999}}]})"),
            "parse");
  EXPECT_EQ(refused(R"({"commands":[{"do":"save-new-deck","at":1,"account":"","name":"x","game":"g",)"
                    R"("side":"","format":"","identity":"","notes":"","cards":{},"most":0}]})"),
            "parse");
  EXPECT_EQ(refused(R"({"commands":[{"do":"add-to-outbox","at":1,"id":"w","memory":"","added":[{}]}]})"), "parse");
  EXPECT_EQ(refused(R"({"commands":[{"do":"save-game","at":1,"id":"x","version":1,"files":[{"name":"a"}]}]})"),
            "parse");
  EXPECT_EQ(refused(R"({"commands":[{"do":"save-game","at":1,"id":"x","version":99999999999,"files":[]}]})"), "parse");
  EXPECT_EQ(refused(R"({"commands":[{"do":"keep-game-versions","at":1,"id":"x","kept":["1"]}]})"), "parse");
  EXPECT_EQ(refused(R"({"commands":[{"do":"replace-shared","at":1,"name":"x","text":""}]})"), "parse");
  EXPECT_EQ(refused(R"({"commands":[{"do":"something new","at":1}]})"), "unsupported");
  EXPECT_EQ(refused(R"({"commands":[{"do":"create-account","at":1,"name":"x"}]})"), "applied");
}

}  // namespace
}  // namespace openseat::store
