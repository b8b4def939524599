#include "net/tls_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace openseat::net {
namespace {

using ::testing::HasSubstr;
using Phase = TlsRecords::Phase;

constexpr int kChangeCipherSpec = 20;
constexpr int kHandshake = 22;
constexpr int kData = 23;

void AddHeader(TlsRecords& records, int type, std::size_t size, Phase phase) {
  const std::array header{static_cast<std::byte>(type), std::byte{3}, std::byte{3}, static_cast<std::byte>(size >> 8),
                          static_cast<std::byte>(size & 255)};
  records.OnHeader(header, phase);
}

void AddContent(TlsRecords& records, std::string_view bytes) {
  records.OnContent(std::as_bytes(std::span(bytes)));
}

// The first bytes of a ClientHello.
std::string Hello(std::size_t size) {
  return {'\1', static_cast<char>(size >> 16), static_cast<char>(size >> 8), static_cast<char>(size)};
}

TEST(TlsRecords, AFewWithoutDataMayFollowEachOther) {
  for (const bool of_client : {true, false}) {
    TlsRecords records(of_client);
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < TlsRecords::kMostWithoutData; ++i) AddHeader(records, kData, 22, Phase::kOver);
      records.OnData(1);
    }
    EXPECT_EQ(records.problem(), "");
    for (std::size_t i = 0; i < TlsRecords::kMostWithoutData; ++i) AddHeader(records, kData, 22, Phase::kOver);
    EXPECT_EQ(records.problem(), "");
    AddHeader(records, kData, 22, Phase::kOver);
    EXPECT_THAT(records.problem(), HasSubstr("have no data"));
  }
}

TEST(TlsRecords, CountsWhatIsNoDataOnceTheRecordIsComplete) {
  TlsRecords records(true);
  AddHeader(records, kHandshake, 300, Phase::kHandshake);
  AddHeader(records, kData, 1000, Phase::kOver);
  TlsOverhead overhead = records.TakeOverhead();
  EXPECT_EQ(overhead.bytes, 305u);
  EXPECT_EQ(overhead.records, 0u) << "the handshake has a price of its own";
  records.OnData(980);
  AddHeader(records, kData, 22, Phase::kOver);
  overhead = records.TakeOverhead();
  EXPECT_EQ(overhead.bytes, 25u);
  EXPECT_EQ(overhead.records, 0u);
  AddHeader(records, kData, 22, Phase::kOver);
  overhead = records.TakeOverhead();
  EXPECT_EQ(overhead.bytes, 27u);
  EXPECT_EQ(overhead.records, 1u);
}

TEST(TlsRecords, OnlyAClientMustNotRenegotiate) {
  TlsRecords client(true);
  AddHeader(client, kHandshake, 300, Phase::kOver);
  EXPECT_THAT(client.problem(), HasSubstr("renegotiate"));
  TlsRecords server(false);
  AddHeader(server, kHandshake, 300, Phase::kOver);
  EXPECT_EQ(server.problem(), "");
}

TEST(TlsRecords, AHandshakeHasALimit) {
  TlsRecords client(true);
  TlsRecords server(false);
  for (TlsRecords* records : {&client, &server}) {
    for (int i = 0; i < 2; ++i) AddHeader(*records, kHandshake, 16'000, Phase::kHandshake);
    EXPECT_EQ(records->problem(), "");
    AddHeader(*records, kHandshake, 16'000, Phase::kHandshake);
  }
  EXPECT_THAT(client.problem(), HasSubstr("handshake is too large"));
  EXPECT_EQ(server.problem(), "") << "its certificates may be long";
}

TEST(TlsRecords, AHandshakeCountsWhatHasCome) {
  TlsRecords records(true);
  AddHeader(records, kHandshake, 16'384, Phase::kHandshake);
  AddContent(records, Hello(16'380));
  EXPECT_EQ(records.handshake_bytes(), 9u);
  AddContent(records, std::string(16'380, 'a'));
  EXPECT_EQ(records.handshake_bytes(), 5u + 16'384);
  AddHeader(records, kChangeCipherSpec, 1, Phase::kHandshakeOfTls13);
  AddContent(records, "\1");
  EXPECT_EQ(records.handshake_bytes(), 5u + 16'384 + 6);
  AddHeader(records, kData, 1'000, Phase::kOver);
  AddContent(records, std::string(1'000, 'a'));
  EXPECT_EQ(records.handshake_bytes(), 5u + 16'384 + 6);
  // OpenSSL reserves the rest of a large hello at once.
  TlsRecords large(true);
  AddHeader(large, kHandshake, 4, Phase::kHandshake);
  AddContent(large, Hello(TlsRecords::kRoomForMessage + 1'000));
  EXPECT_EQ(large.handshake_bytes(), 9u + 1'000);
}

TEST(TlsRecords, AHelloIsRefusedForTheSizeThatItAnnounces) {
  const std::string hello = Hello(TlsRecords::kMostHandshakeBytes + 1);
  TlsRecords records(true);
  AddHeader(records, kHandshake, hello.size(), Phase::kHandshake);
  AddContent(records, hello);
  EXPECT_THAT(records.problem(), HasSubstr("ClientHello"));
  // A byte in each record, and after another message.
  TlsRecords slow(true);
  for (const char byte : Hello(2) + "ab" + hello) {
    EXPECT_EQ(slow.problem(), "");
    AddHeader(slow, kHandshake, 1, Phase::kHandshake);
    AddContent(slow, std::string_view(&byte, 1));
  }
  EXPECT_THAT(slow.problem(), HasSubstr("ClientHello"));
  // A server may ask for another one.
  TlsRecords second(true);
  AddHeader(second, kHandshake, 4, Phase::kHandshake);
  AddContent(second, Hello(0));
  AddHeader(second, kChangeCipherSpec, 1, Phase::kHandshakeOfTls13);
  AddContent(second, "\1");
  AddHeader(second, kHandshake, hello.size(), Phase::kHandshakeOfTls13);
  AddContent(second, hello);
  EXPECT_THAT(second.problem(), HasSubstr("ClientHello"));
}

TEST(TlsRecords, WhatIsEncryptedIsNoHello) {
  TlsRecords records(true);
  AddHeader(records, kHandshake, 6, Phase::kHandshake);
  AddContent(records, Hello(2) + "ab");
  AddHeader(records, kChangeCipherSpec, 1, Phase::kHandshake);
  AddContent(records, "\1");
  AddHeader(records, kHandshake, 40, Phase::kHandshake);
  AddContent(records, Hello(0xffffff));
  EXPECT_EQ(records.problem(), "");
}

}  // namespace
}  // namespace openseat::net
