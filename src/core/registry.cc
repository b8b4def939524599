#include "core/registry.h"

#include <algorithm>

#include "base/secure_random.h"
#include "base/text.h"

namespace openseat {
namespace {

constexpr std::size_t kIdLength = 10;  // 50 bits, and the registry checks whether it is taken

bool IsControl(char c) {
  const auto code = static_cast<unsigned char>(c);
  return code < 0x20 || code == 0x7F;
}

}  // namespace

std::string HolderOf(const ApiKey& key) {
  return "key " + (key.account.empty() ? key.id.str() : key.account.str());
}

std::string NewKeySecret() {
  return std::string(kKeyPrefix) + SecureToken(kKeySecretLength - kKeyPrefix.size());
}

std::string NewRegistryId(char letter) {
  return std::string{letter, '-'} + SecureToken(kIdLength);
}

Result<void> CheckLabel(std::string_view what, std::string_view label) {
  const std::string subject(what);
  if (label.size() > kMaxNameBytes) {
    return Fail(
        ErrorCode::kInvalid,
        subject + " has at most " + std::to_string(kMaxNameBytes) + " bytes; got " + std::to_string(label.size()),
        subject);
  }
  if (!IsValidUtf8(label) || std::ranges::any_of(label, IsControl)) {
    return Fail(ErrorCode::kInvalid, subject + " must be one line of text without control characters", subject);
  }
  if (label.starts_with(' ') || label.ends_with(' ')) {
    return Fail(ErrorCode::kInvalid, subject + " must not begin or end with a space", subject);
  }
  return {};
}

Result<void> CheckName(std::string_view what, std::string_view name) {
  if (name.empty()) {
    return Fail(ErrorCode::kInvalid, std::string(what) + " must not be empty", std::string(what));
  }
  return CheckLabel(what, name);
}

Result<void> CheckDeckSize(const DeckList& list, int most_copies) {
  if (auto name = CheckName("name", list.name); !name) return name;
  for (const auto& [what, text] : {std::pair<std::string_view, const std::string&>{"game", list.game},
                                   {"side", list.side},
                                   {"format", list.format},
                                   {"identity", list.identity}}) {
    if (auto label = CheckLabel(what, text); !label) return label;
  }
  if (list.game.empty()) return Fail(ErrorCode::kInvalid, "game must not be empty", "game");
  if (list.notes.size() > kMaxNotesBytes || !IsValidUtf8(list.notes)) {
    return Fail(ErrorCode::kInvalid, "notes must be UTF-8 text of at most " + std::to_string(kMaxNotesBytes) + " bytes",
                "notes");
  }
  if (list.cards.size() > kMaxDeckEntries) {
    return Fail(ErrorCode::kInvalid, "a deck has at most " + std::to_string(kMaxDeckEntries) + " different cards",
                "cards");
  }
  for (const auto& [code, count] : list.cards) {
    if (auto name = CheckName("cards", code); !name) return name;
    if (count < 1 || count > most_copies) {
      return Fail(ErrorCode::kInvalid,
                  "a deck has 1 to " + std::to_string(most_copies) + " copies of a card; got " + std::to_string(count) +
                      " of " + Quote(code),
                  "cards");
    }
  }
  return {};
}

Result<void> CheckDeckCount(std::size_t decks, std::size_t most) {
  if (most == 0 || decks < most) return {};
  return Fail(ErrorCode::kConflict, "an account has at most " + std::to_string(most) + " decks; delete one first");
}

Result<void> CheckWebhookSize(const WebhookTarget& target) {
  if (target.url.empty() || target.url.size() > kMaxUrlBytes) {
    return Fail(ErrorCode::kInvalid, "url must be a URL of at most " + std::to_string(kMaxUrlBytes) + " bytes", "url");
  }
  if (target.key.size() > kMaxUrlBytes || std::ranges::any_of(target.key, IsControl)) {
    return Fail(
        ErrorCode::kInvalid,
        "key must be one line of at most " + std::to_string(kMaxUrlBytes) + " bytes, since it goes into a header",
        "key");
  }
  return {};
}

Result<void> CheckGameSize(std::string_view id, const std::vector<StoredFile>& files) {
  if (auto name = CheckName("id", id); !name) return name;
  std::size_t bytes = 0;
  for (const StoredFile& file : files) {
    if (auto name = CheckName("files", file.name); !name) return name;
    if (!IsValidUtf8(file.text)) return Fail(ErrorCode::kInvalid, file.name + " is not UTF-8", "files");
    bytes += file.text.size();
  }
  if (files.empty() || files.size() > kMaxGameFiles || bytes > kMaxGameBytes) {
    return Fail(ErrorCode::kInvalid,
                "a game has 1 to " + std::to_string(kMaxGameFiles) + " files of at most " +
                    std::to_string(kMaxGameBytes) + " bytes together; got " + std::to_string(files.size()) + " of " +
                    std::to_string(bytes),
                "files");
  }
  return {};
}

std::string FoldName(std::string_view name) {
  std::string folded(name);
  std::ranges::transform(folded, folded.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return folded;
}

}  // namespace openseat
