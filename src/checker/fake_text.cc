#include "checker/fake_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <utility>

#include "checker/fake_words.h"

namespace openseat::checker {
namespace {

struct Listed {
  FakeKind kind;
  WordList list;
};

// Kinds whose text is just one word from a list.
constexpr auto kListed = std::to_array<Listed>({
    {FakeKind::kFirstName, WordList::kFirstName},
    {FakeKind::kLastName, WordList::kLastName},
    {FakeKind::kNamePrefix, WordList::kNamePrefix},
    {FakeKind::kSex, WordList::kSex},
    {FakeKind::kZodiac, WordList::kZodiac},
    {FakeKind::kEmoji, WordList::kEmoji},
    {FakeKind::kMimeType, WordList::kMimeType},
    {FakeKind::kCity, WordList::kCity},
    {FakeKind::kCountry, WordList::kCountry},
    {FakeKind::kCountryCode, WordList::kCountryCode},
    {FakeKind::kState, WordList::kState},
    {FakeKind::kCounty, WordList::kCounty},
    {FakeKind::kContinent, WordList::kContinent},
    {FakeKind::kStreet, WordList::kStreet},
    {FakeKind::kDirection, WordList::kDirection},
    {FakeKind::kTimeZone, WordList::kTimeZone},
    {FakeKind::kLanguage, WordList::kLanguage},
    {FakeKind::kLanguageCode, WordList::kLanguageCode},
    {FakeKind::kColor, WordList::kColor},
    {FakeKind::kAnimal, WordList::kAnimal},
    {FakeKind::kPetName, WordList::kPetName},
    {FakeKind::kDogBreed, WordList::kDogBreed},
    {FakeKind::kDish, WordList::kDish},
    {FakeKind::kFruit, WordList::kFruit},
    {FakeKind::kVegetable, WordList::kVegetable},
    {FakeKind::kIngredient, WordList::kIngredient},
    {FakeKind::kSpice, WordList::kSpice},
    {FakeKind::kCuisine, WordList::kCuisine},
    {FakeKind::kDepartment, WordList::kDepartment},
    {FakeKind::kMaterial, WordList::kProductMaterial},
    {FakeKind::kBookTitle, WordList::kBookTitle},
    {FakeKind::kAuthor, WordList::kBookAuthor},
    {FakeKind::kBookGenre, WordList::kBookGenre},
    {FakeKind::kPublisher, WordList::kPublisher},
    {FakeKind::kMusicGenre, WordList::kMusicGenre},
    {FakeKind::kSong, WordList::kSong},
    {FakeKind::kArtist, WordList::kArtist},
    {FakeKind::kAlbum, WordList::kAlbum},
    {FakeKind::kVehicleMaker, WordList::kVehicleMaker},
    {FakeKind::kVehicleModel, WordList::kVehicleModel},
    {FakeKind::kVehicleType, WordList::kVehicleType},
    {FakeKind::kFuel, WordList::kFuel},
    {FakeKind::kCurrency, WordList::kCurrency},
    {FakeKind::kCurrencyCode, WordList::kCurrencyCode},
    {FakeKind::kAirline, WordList::kAirline},
    {FakeKind::kAirport, WordList::kAirport},
    {FakeKind::kElement, WordList::kElement},
    {FakeKind::kUnit, WordList::kUnit},
    {FakeKind::kMonth, WordList::kMonth},
    {FakeKind::kWeekday, WordList::kWeekday},
    {FakeKind::kWord, WordList::kNoun},
    {FakeKind::kAdjective, WordList::kAdjective},
    {FakeKind::kVerb, WordList::kVerb},
});

std::string_view One(WordList list, Rng& rng) {
  const auto words = Words(list);
  return words[rng.Below(words.size())];
}

std::string Capitalized(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// "an apple".
std::string WithArticle(std::string_view word) {
  const bool vowel = !word.empty() && std::string_view("aeiouAEIOU").find(word[0]) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", word);
}

// Keeps lowercase ASCII letters and digits; anything else becomes `gap`, at most one in a row.
std::string Plain(std::string_view text, std::string_view gap) {
  std::string out;
  bool open = false;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      open = !out.empty();
      continue;
    }
    if (std::exchange(open, false)) out += gap;
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string FullName(Rng& rng) {
  return fmt::format("{} {}", One(WordList::kFirstName, rng), One(WordList::kLastName, rng));
}

std::string Username(Rng& rng) {
  const std::string first = Plain(One(WordList::kFirstName, rng), "");
  switch (rng.Below(3)) {
    case 0:
      return fmt::format("{}{}", first, rng.Between(1, 99));
    case 1:
      return fmt::format("{}_{}", first, Plain(One(WordList::kLastName, rng), ""));
    default:
      return fmt::format("{}_{}", Plain(One(WordList::kAdjective, rng), "_"), Plain(One(WordList::kAnimal, rng), "_"));
  }
}

std::string Domain(Rng& rng) {
  return std::string(One(WordList::kDomain, rng));
}

std::string Email(Rng& rng) {
  return fmt::format("{}.{}@{}", Plain(One(WordList::kFirstName, rng), ""), Plain(One(WordList::kLastName, rng), ""),
                     Domain(rng));
}

std::string Slug(Rng& rng) {
  return Plain(fmt::format("{} {}", One(WordList::kAdjective, rng), One(WordList::kNoun, rng)), "-");
}

std::string Uuid(Rng& rng) {
  return fmt::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", rng.Below(std::uint64_t{1} << 32), rng.Below(1u << 16),
                     rng.Below(1u << 12), 0x8000 + rng.Below(0x4000), rng.Below(std::uint64_t{1} << 48));
}

std::string Password(Rng& rng) {
  constexpr std::string_view kCharacters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  std::string out;
  for (int i = 0; i < 14; ++i) out += kCharacters[rng.Below(kCharacters.size())];
  return out + "!7";
}

std::string Path(Rng& rng) {
  return fmt::format("/{}/{}", Plain(One(WordList::kNoun, rng), "-"), Plain(One(WordList::kNoun, rng), "-"));
}

std::string Address(Rng& rng) {
  return fmt::format("{} {}, {}", rng.Between(1, 999), One(WordList::kStreet, rng), One(WordList::kCity, rng));
}

std::string Company(Rng& rng) {
  return fmt::format("{} {}", One(WordList::kLastName, rng), One(WordList::kLegalEntity, rng));
}

std::string Product(Rng& rng) {
  return fmt::format("{} {} {}", One(WordList::kProductAdjective, rng), One(WordList::kProductMaterial, rng),
                     One(WordList::kProduct, rng));
}

std::string Date(Rng& rng) {
  return fmt::format("{:04}-{:02}-{:02}", rng.Between(1980, 2030), rng.Between(1, 12), rng.Between(1, 28));
}

std::string TimeOfDay(Rng& rng) {
  return fmt::format("{:02}:{:02}:{:02}Z", rng.Between(0, 23), rng.Between(0, 59), rng.Between(0, 59));
}

std::string Title(Rng& rng) {
  return fmt::format("The {} {}", Capitalized(std::string(One(WordList::kAdjective, rng))),
                     Capitalized(std::string(One(WordList::kNoun, rng))));
}

std::string Sentence(Rng& rng) {
  const std::string_view adjective = One(WordList::kAdjective, rng);
  const std::string_view noun = One(WordList::kNoun, rng);
  const std::string_view verb = One(WordList::kVerb, rng);
  switch (rng.Below(5)) {
    case 0:
      return fmt::format("The {} is {} today.", noun, adjective);
    case 1:
      return fmt::format("We should {} the {} {}.", verb, adjective, noun);
    case 2:
      return fmt::format("{}, such {} {}!", Capitalized(std::string(One(WordList::kInterjection, rng))),
                         WithArticle(adjective), noun);
    case 3:
      return fmt::format("I would rather {} than see the {} again.", verb, noun);
    default:
      return fmt::format("Please {} the {} {}.", verb, noun, One(WordList::kAdverb, rng));
  }
}

std::string Question(Rng& rng) {
  const std::string_view noun = One(WordList::kNoun, rng);
  switch (rng.Below(3)) {
    case 0:
      return fmt::format("Where is the {} {}?", One(WordList::kAdjective, rng), noun);
    case 1:
      return fmt::format("Who would {} {}?", One(WordList::kVerb, rng), WithArticle(noun));
    default:
      return fmt::format("Is the {} {}?", noun, One(WordList::kAdjective, rng));
  }
}

std::string Sentences(int count, Rng& rng) {
  std::string out = Sentence(rng);
  for (int i = 1; i < count; ++i) out += " " + Sentence(rng);
  return out;
}

std::string Slogan(Rng& rng) {
  return Capitalized(fmt::format("{} {} {}", One(WordList::kBuzzVerb, rng), One(WordList::kBuzzAdjective, rng),
                                 One(WordList::kBuzzNoun, rng)));
}

std::string NumberText(FakeKind kind, Rng& rng) {
  const FakeRange range = RangeOf(kind);
  return fmt::format("{:.{}f}", range.low + (range.high - range.low) * rng.Unit(), range.decimals);
}

}  // namespace

std::string FakeText(FakeKind kind, Rng& rng) {
  const auto* const listed = std::ranges::find(kListed, kind, &Listed::kind);
  if (listed != kListed.end()) return std::string(One(listed->list, rng));
  if (IsNumeric(kind)) return NumberText(kind, rng);
  switch (kind) {
    case FakeKind::kFullName:
      return FullName(rng);
    case FakeKind::kJob:
      return fmt::format("{} {} {}", One(WordList::kJobDescriptor, rng), One(WordList::kJobArea, rng),
                         One(WordList::kJobType, rng));
    case FakeKind::kUsername:
      return Username(rng);
    case FakeKind::kEmail:
      return Email(rng);
    case FakeKind::kUrl:
      return fmt::format("https://{}/{}", Domain(rng), Slug(rng));
    case FakeKind::kPath:
      return Path(rng);
    case FakeKind::kDomain:
      return fmt::format("{}.{}", Plain(One(WordList::kNoun, rng), "-"), Domain(rng));
    case FakeKind::kIpv4:
      return fmt::format("192.0.2.{}", rng.Between(1, 254));
    case FakeKind::kIpv6:
      return fmt::format("2001:db8::{:x}:{:x}", rng.Between(1, 0xffff), rng.Between(1, 0xffff));
    case FakeKind::kPassword:
      return Password(rng);
    case FakeKind::kSlug:
      return Slug(rng);
    case FakeKind::kUuid:
      return Uuid(rng);
    case FakeKind::kIdentifier:
      return fmt::format("{}_{}", Plain(One(WordList::kNoun, rng), "_"), rng.Between(1, 99));
    case FakeKind::kFileName:
      return fmt::format("{}.{}", Plain(One(WordList::kNoun, rng), "_"), rng.Chance(0.5) ? "txt" : "png");
    case FakeKind::kVersion:
      return fmt::format("{}.{}.{}", rng.Between(0, 5), rng.Between(0, 20), rng.Between(0, 20));
    case FakeKind::kAddress:
      return Address(rng);
    case FakeKind::kPostcode:
      return fmt::format("{}", rng.Between(10000, 99999));
    case FakeKind::kPhone:
      return fmt::format("+1-{}-555-01{:02}", rng.Between(201, 989), rng.Below(100));
    case FakeKind::kLocation:
      return fmt::format("{}, {}", One(WordList::kCity, rng), One(WordList::kCountry, rng));
    case FakeKind::kHexColor:
      return fmt::format("#{:06x}", rng.Below(0x1000000));
    case FakeKind::kTeam:
      return fmt::format("{} {}", One(WordList::kState, rng), Capitalized(std::string(One(WordList::kCreatures, rng))));
    case FakeKind::kCompany:
      return Company(rng);
    case FakeKind::kProduct:
      return Product(rng);
    case FakeKind::kSlogan:
      return Slogan(rng);
    case FakeKind::kVehicle:
      return fmt::format("{} {}", One(WordList::kVehicleMaker, rng), One(WordList::kVehicleModel, rng));
    case FakeKind::kDate:
      return Date(rng);
    case FakeKind::kTime:
      return TimeOfDay(rng);
    case FakeKind::kDateTime:
      return fmt::format("{}T{}", Date(rng), TimeOfDay(rng));
    case FakeKind::kDuration:
      return fmt::format("PT{}M", rng.Between(1, 600));
    case FakeKind::kTitle:
      return Title(rng);
    case FakeKind::kSentence:
      return Sentence(rng);
    case FakeKind::kQuestion:
      return Question(rng);
    case FakeKind::kReason:
      return fmt::format("Because the {} looks {}.", One(WordList::kNoun, rng), One(WordList::kAdjective, rng));
    case FakeKind::kParagraph:
      return Sentences(2, rng);
    case FakeKind::kGreeting:
      return fmt::format("Hello, {}!", One(WordList::kFirstName, rng));
    default:
      break;
  }
  return fmt::format("{} {}", One(WordList::kAdjective, rng), One(WordList::kNoun, rng));
}

bool IsRigid(FakeKind kind) {
  switch (kind) {
    case FakeKind::kEmail:
    case FakeKind::kUrl:
    case FakeKind::kPath:
    case FakeKind::kDomain:
    case FakeKind::kIpv4:
    case FakeKind::kIpv6:
    case FakeKind::kPassword:
    case FakeKind::kSlug:
    case FakeKind::kUuid:
    case FakeKind::kIdentifier:
    case FakeKind::kFileName:
    case FakeKind::kMimeType:
    case FakeKind::kVersion:
    case FakeKind::kCountryCode:
    case FakeKind::kLanguageCode:
    case FakeKind::kCurrencyCode:
    case FakeKind::kTimeZone:
    case FakeKind::kPostcode:
    case FakeKind::kPhone:
    case FakeKind::kHexColor:
    case FakeKind::kDate:
    case FakeKind::kTime:
    case FakeKind::kDateTime:
    case FakeKind::kDuration:
      return true;
    default:
      return IsNumeric(kind);
  }
}

FakeRange RangeOf(FakeKind kind) {
  switch (kind) {
    case FakeKind::kAge:
      return {18, 80, 0};
    case FakeKind::kYear:
      return {1980, 2030, 0};
    case FakeKind::kMonth:
      return {1, 12, 0};
    case FakeKind::kWeekday:
      return {1, 7, 0};
    case FakeKind::kDay:
      return {1, 28, 0};
    case FakeKind::kHour:
      return {0, 23, 0};
    case FakeKind::kMinute:
      return {0, 59, 0};
    case FakeKind::kPrice:
      return {1, 200, 2};
    case FakeKind::kCount:
      return {1, 10, 0};
    case FakeKind::kPercent:
      return {1, 100, 0};
    case FakeKind::kFraction:
      return {0, 1, 2};
    case FakeKind::kLatitude:
      return {-90, 90, 4};
    case FakeKind::kLongitude:
      return {-180, 180, 4};
    case FakeKind::kRating:
      return {1, 5, 0};
    case FakeKind::kLevel:
      return {1, 20, 0};
    case FakeKind::kSize:
      return {1, 200, 1};
    case FakeKind::kWeight:
      return {1, 100, 1};
    case FakeKind::kTemperature:
      return {-10, 35, 1};
    case FakeKind::kPort:
      return {1024, 49151, 0};
    case FakeKind::kIndex:
      return {0, 9, 0};
    case FakeKind::kSeconds:
      return {1, 120, 0};
    case FakeKind::kIdentifier:
      return {1, 9999, 0};
    case FakeKind::kPostcode:
      return {10000, 99999, 0};
    default:
      return {1, 100, 1};
  }
}

bool IsNumeric(FakeKind kind) {
  return kind >= FakeKind::kAge;
}

}  // namespace openseat::checker
