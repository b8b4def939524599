#include "checker/fake_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

namespace openseat::checker {
namespace {

struct Entry {
  std::string_view name;
  FakeKind kind;
};

using enum FakeKind;

// Words run together and in the singular: "first_names" is looked up as "firstname", then as "name".
constexpr auto kNames = std::to_array<Entry>({
    // people
    {"firstname", kFirstName},
    {"forename", kFirstName},
    {"givenname", kFirstName},
    {"middlename", kFirstName},
    {"nickname", kUsername},
    {"lastname", kLastName},
    {"surname", kLastName},
    {"familyname", kLastName},
    {"fullname", kFullName},
    {"playername", kFullName},
    {"charactername", kFullName},
    {"person", kFullName},
    {"owner", kFullName},
    {"customer", kFullName},
    {"employee", kFullName},
    {"guest", kFullName},
    {"recipient", kFullName},
    {"receiver", kFullName},
    {"sender", kFullName},
    {"contact", kFullName},
    {"character", kFirstName},
    {"player", kFirstName},
    {"opponent", kFirstName},
    {"friend", kFirstName},
    {"hero", kFirstName},
    {"npc", kFirstName},
    {"villager", kFirstName},
    {"suspect", kFirstName},
    {"prefix", kNamePrefix},
    {"salutation", kNamePrefix},
    {"sex", kSex},
    {"gender", kSex},
    {"job", kJob},
    {"jobtitle", kJob},
    {"profession", kJob},
    {"occupation", kJob},
    {"role", kJob},
    {"zodiac", kZodiac},
    {"zodiacsign", kZodiac},
    {"starsign", kZodiac},
    // the net
    {"username", kUsername},
    {"user", kUsername},
    {"login", kUsername},
    {"handle", kUsername},
    {"displayname", kUsername},
    {"account", kUsername},
    {"accountname", kUsername},
    {"email", kEmail},
    {"mail", kEmail},
    {"emailaddress", kEmail},
    {"mailaddress", kEmail},
    {"url", kUrl},
    {"uri", kUrl},
    {"link", kUrl},
    {"website", kUrl},
    {"homepage", kUrl},
    {"href", kUrl},
    {"avatar", kUrl},
    {"image", kUrl},
    {"picture", kUrl},
    {"photo", kUrl},
    {"path", kPath},
    {"filepath", kPath},
    {"directory", kPath},
    {"folder", kPath},
    {"domain", kDomain},
    {"domainname", kDomain},
    {"host", kDomain},
    {"hostname", kDomain},
    {"ip", kIpv4},
    {"ipaddress", kIpv4},
    {"ipv4", kIpv4},
    {"ipv6", kIpv6},
    {"password", kPassword},
    {"passphrase", kPassword},
    {"token", kPassword},
    {"apikey", kPassword},
    {"slug", kSlug},
    {"uuid", kUuid},
    {"guid", kUuid},
    {"id", kIdentifier},
    {"identifier", kIdentifier},
    {"emoji", kEmoji},
    {"emote", kEmoji},
    {"reaction", kEmoji},
    {"file", kFileName},
    {"filename", kFileName},
    {"mime", kMimeType},
    {"mimetype", kMimeType},
    {"contenttype", kMimeType},
    {"version", kVersion},
    // places
    {"city", kCity},
    {"town", kCity},
    {"village", kCity},
    {"birthplace", kCity},
    {"country", kCountry},
    {"nation", kCountry},
    {"nationality", kCountry},
    {"countrycode", kCountryCode},
    {"province", kState},
    {"region", kState},
    {"usstate", kState},
    {"county", kCounty},
    {"continent", kContinent},
    {"street", kStreet},
    {"road", kStreet},
    {"address", kAddress},
    {"streetaddress", kAddress},
    {"zip", kPostcode},
    {"zipcode", kPostcode},
    {"postcode", kPostcode},
    {"postalcode", kPostcode},
    {"phone", kPhone},
    {"phonenumber", kPhone},
    {"telephone", kPhone},
    {"telephonenumber", kPhone},
    {"mobile", kPhone},
    {"mobilenumber", kPhone},
    {"fax", kPhone},
    {"location", kLocation},
    {"place", kLocation},
    {"destination", kLocation},
    {"origin", kLocation},
    {"direction", kDirection},
    {"heading", kDirection},
    {"timezone", kTimeZone},
    {"language", kLanguage},
    {"languagecode", kLanguageCode},
    {"lang", kLanguageCode},
    {"locale", kLanguageCode},
    // things
    {"color", kColor},
    {"colour", kColor},
    {"hexcolor", kHexColor},
    {"hexcolour", kHexColor},
    {"hex", kHexColor},
    {"rgb", kHexColor},
    {"colorcode", kHexColor},
    {"colourcode", kHexColor},
    {"animal", kAnimal},
    {"creature", kAnimal},
    {"species", kAnimal},
    {"monster", kAnimal},
    {"pet", kPetName},
    {"petname", kPetName},
    {"dogname", kPetName},
    {"catname", kPetName},
    {"breed", kDogBreed},
    {"dog", kDogBreed},
    {"team", kTeam},
    {"guild", kTeam},
    {"clan", kTeam},
    {"faction", kTeam},
    {"food", kDish},
    {"dish", kDish},
    {"meal", kDish},
    {"breakfast", kDish},
    {"lunch", kDish},
    {"dinner", kDish},
    {"recipe", kDish},
    {"fruit", kFruit},
    {"vegetable", kVegetable},
    {"veggie", kVegetable},
    {"ingredient", kIngredient},
    {"topping", kIngredient},
    {"spice", kSpice},
    {"cuisine", kCuisine},
    {"company", kCompany},
    {"organization", kCompany},
    {"organisation", kCompany},
    {"employer", kCompany},
    {"brand", kCompany},
    {"business", kCompany},
    {"shop", kCompany},
    {"department", kDepartment},
    {"product", kProduct},
    {"item", kProduct},
    {"gift", kProduct},
    {"material", kMaterial},
    {"slogan", kSlogan},
    {"catchphrase", kSlogan},
    {"tagline", kSlogan},
    {"motto", kSlogan},
    {"book", kBookTitle},
    {"booktitle", kBookTitle},
    {"author", kAuthor},
    {"writer", kAuthor},
    {"bookgenre", kBookGenre},
    {"publisher", kPublisher},
    {"genre", kMusicGenre},
    {"song", kSong},
    {"track", kSong},
    {"music", kSong},
    {"tune", kSong},
    {"artist", kArtist},
    {"singer", kArtist},
    {"band", kArtist},
    {"album", kAlbum},
    {"vehicle", kVehicle},
    {"car", kVehicle},
    {"manufacturer", kVehicleMaker},
    {"vehiclemodel", kVehicleModel},
    {"carmodel", kVehicleModel},
    {"vehicletype", kVehicleType},
    {"fuel", kFuel},
    {"currency", kCurrencyCode},
    {"currencycode", kCurrencyCode},
    {"currencyname", kCurrency},
    {"airline", kAirline},
    {"airport", kAirport},
    {"element", kElement},
    {"unit", kUnit},
    // time
    {"date", kDate},
    {"birthday", kDate},
    {"birthdate", kDate},
    {"dob", kDate},
    {"deadline", kDate},
    {"dateofbirth", kDate},
    {"time", kTime},
    {"datetime", kDateTime},
    {"timestamp", kDateTime},
    {"createdat", kDateTime},
    {"updatedat", kDateTime},
    {"month", kMonth},
    {"weekday", kWeekday},
    {"dayofweek", kWeekday},
    // text
    {"word", kWord},
    {"noun", kWord},
    {"tag", kWord},
    {"keyword", kWord},
    {"topic", kWord},
    {"category", kWord},
    {"guess", kWord},
    {"adjective", kAdjective},
    {"mood", kAdjective},
    {"verb", kVerb},
    {"headline", kTitle},
    {"subject", kTitle},
    {"caption", kTitle},
    {"message", kSentence},
    {"comment", kSentence},
    {"note", kSentence},
    {"sentence", kSentence},
    {"chat", kSentence},
    {"reply", kSentence},
    {"response", kSentence},
    {"speech", kSentence},
    {"dialogue", kSentence},
    {"dialog", kSentence},
    {"say", kSentence},
    {"said", kSentence},
    {"hint", kSentence},
    {"prompt", kSentence},
    {"statement", kSentence},
    {"thought", kSentence},
    {"answer", kSentence},
    {"question", kQuestion},
    {"query", kQuestion},
    {"search", kWord},
    {"reason", kReason},
    {"reasoning", kReason},
    {"explanation", kReason},
    {"justification", kReason},
    {"description", kParagraph},
    {"desc", kParagraph},
    {"bio", kParagraph},
    {"biography", kParagraph},
    {"summary", kParagraph},
    {"story", kParagraph},
    {"paragraph", kParagraph},
    {"body", kParagraph},
    {"content", kParagraph},
    {"review", kParagraph},
    {"about", kParagraph},
    {"greeting", kGreeting},
    // numbers
    {"age", kAge},
    {"year", kYear},
    {"day", kDay},
    {"hour", kHour},
    {"minute", kMinute},
    {"price", kPrice},
    {"cost", kPrice},
    {"amount", kPrice},
    {"total", kPrice},
    {"balance", kPrice},
    {"salary", kPrice},
    {"money", kPrice},
    {"gold", kCount},
    {"bet", kCount},
    {"bid", kCount},
    {"wager", kCount},
    {"count", kCount},
    {"quantity", kCount},
    {"qty", kCount},
    {"number", kCount},
    {"num", kCount},
    {"times", kCount},
    {"percent", kPercent},
    {"percentage", kPercent},
    {"health", kPercent},
    {"hp", kPercent},
    {"score", kPercent},
    {"point", kPercent},
    {"volume", kPercent},
    {"speed", kPercent},
    {"probability", kFraction},
    {"chance", kFraction},
    {"ratio", kFraction},
    {"fraction", kFraction},
    {"opacity", kFraction},
    {"alpha", kFraction},
    {"confidence", kFraction},
    {"rating", kRating},
    {"star", kRating},
    {"level", kLevel},
    {"rank", kLevel},
    {"lat", kLatitude},
    {"latitude", kLatitude},
    {"lon", kLongitude},
    {"lng", kLongitude},
    {"longitude", kLongitude},
    {"width", kSize},
    {"height", kSize},
    {"length", kSize},
    {"depth", kSize},
    {"size", kSize},
    {"radius", kSize},
    {"distance", kSize},
    {"weight", kWeight},
    {"mass", kWeight},
    {"temperature", kTemperature},
    {"port", kPort},
    {"index", kIndex},
    {"position", kIndex},
    {"pos", kIndex},
    {"slot", kIndex},
    {"row", kIndex},
    {"column", kIndex},
    {"col", kIndex},
    {"x", kIndex},
    {"y", kIndex},
    {"z", kIndex},
    {"second", kSeconds},
    {"duration", kSeconds},
    {"delay", kSeconds},
    {"timeout", kSeconds},
});

constexpr auto kFormats = std::to_array<Entry>({
    {"email", kEmail},
    {"idn-email", kEmail},
    {"uri", kUrl},
    {"iri", kUrl},
    {"url", kUrl},
    {"uuid", kUuid},
    {"guid", kUuid},
    {"hostname", kDomain},
    {"idn-hostname", kDomain},
    {"ipv4", kIpv4},
    {"ip-address", kIpv4},
    {"ipv6", kIpv6},
    {"date", kDate},
    {"time", kTime},
    {"date-time", kDateTime},
    {"duration", kDuration},
    {"uri-reference", kPath},
    {"iri-reference", kPath},
    {"phone", kPhone},
    {"color", kHexColor},
    {"hex-color", kHexColor},
    {"password", kPassword},
    {"json-pointer", kPath},
});

// Names that say little: what they are the name or value of says more.
constexpr auto kGeneric = std::to_array<Entry>({
    {"name", kFullName},  {"title", kTitle},    {"text", kSentence}, {"label", kTitle}, {"value", kNone},
    {"choice", kNone},    {"option", kNone},    {"input", kNone},    {"output", kNone}, {"data", kNone},
    {"selection", kNone}, {"selected", kNone},  {"type", kNone},     {"kind", kNone},   {"target", kNone},
    {"argument", kNone},  {"parameter", kNone}, {"param", kNone},    {"result", kNone},
});

constexpr std::size_t kMaxName = 120;  // bytes that are looked at; names come from strangers
constexpr std::size_t kMaxPath = 6;    // names that are looked at

template <std::size_t N>
const Entry* Find(const std::array<Entry, N>& entries, std::string_view name) {
  const auto* entry = std::ranges::find(entries, name, &Entry::name);
  return entry == entries.end() ? nullptr : entry;
}

// "playerFirstNames2", "player-first-names_2": player, first, names, 2.
std::vector<std::string> Tokens(std::string_view name) {
  const auto is = [](int (*test)(int), char c) { return test(static_cast<unsigned char>(c)) != 0; };
  name = name.substr(0, kMaxName);
  std::vector<std::string> tokens;
  bool fresh = true;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is(std::isalnum, c)) {
      fresh = true;
      continue;
    }
    if (is(std::isupper, c) && i > 0) {
      const bool lower_before = !is(std::isupper, name[i - 1]);
      const bool lower_behind = i + 1 < name.size() && is(std::islower, name[i + 1]);
      fresh = fresh || lower_before || lower_behind;
    }
    if (fresh) tokens.emplace_back();
    fresh = false;
    tokens.back().push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return tokens;
}

std::string Singular(std::string_view word) {
  const auto without = [&](std::size_t count) { return std::string(word.substr(0, word.size() - count)); };
  if (word.size() > 4 && word.ends_with("ies")) return without(3) + "y";
  for (const std::string_view end : {"sses", "xes", "ches", "shes"}) {
    if (word.ends_with(end)) return without(2);
  }
  if (word.size() > 2 && word.ends_with("s") && !word.ends_with("ss") && !word.ends_with("us")) return without(1);
  return std::string(word);
}

template <std::size_t N>
const Entry* FindEither(const std::array<Entry, N>& entries, const std::string& name) {
  const Entry* entry = Find(entries, name);
  return entry != nullptr ? entry : Find(entries, Singular(name));
}

// The kind that the longest end of the tokens names: of player, first, name it is that of "firstname".
std::optional<FakeKind> KindOfEnd(std::span<const std::string> tokens) {
  for (std::size_t from = 0; from < tokens.size(); ++from) {
    std::string joined;
    for (const std::string& token : tokens.subspan(from)) joined += token;
    if (const Entry* entry = FindEither(kNames, joined)) return entry->kind;
  }
  return std::nullopt;
}

struct Guess {
  FakeKind kind = kNone;
  std::string_view generic;  // the name that says little; "" where it says enough
};

// What the name (value, text …) of such a thing is.
FakeKind NameOf(FakeKind kind, std::string_view generic) {
  const bool is_person = kind == kFirstName || kind == kUsername || kind == kFullName;
  return is_person && (generic == "name" || generic == "title") ? kFullName : kind;
}

Guess GuessFrom(std::string_view name) {
  std::vector<std::string> tokens = Tokens(name);
  // "name_2", "city of birth", "message_to".
  const auto is_number = [](const std::string& token) {
    return std::ranges::all_of(token, [](char c) { return c >= '0' && c <= '9'; });
  };
  while (tokens.size() > 1 && is_number(tokens.back())) tokens.pop_back();
  if (tokens.empty()) return {};
  while (tokens.back().size() > 1 && tokens.back().back() >= '0' && tokens.back().back() <= '9' &&
         !KindOfEnd({&tokens.back(), 1})) {
    tokens.back().pop_back();
  }
  const auto of = std::ranges::find(tokens, "of");
  if (of != tokens.begin() && of != tokens.end() && KindOfEnd({tokens.begin(), of})) tokens.erase(of, tokens.end());
  const Entry* generic = FindEither(kGeneric, tokens.back());
  if (generic == nullptr) return {KindOfEnd(tokens).value_or(kNone), ""};
  if (tokens.size() > 1) {
    // "first_name" as a whole, else the "city" of "city_name".
    for (std::size_t from = 0; from + 1 < tokens.size(); ++from) {
      std::string joined;
      for (const std::string& token : std::span(tokens).subspan(from)) joined += token;
      if (const Entry* entry = FindEither(kNames, joined)) return {entry->kind, ""};
    }
    tokens.pop_back();
    const FakeKind kind = KindOfEnd(tokens).value_or(kNone);
    if (kind != kNone) return {NameOf(kind, generic->name), ""};
  }
  return {generic->kind, generic->name};
}

}  // namespace

FakeKind KindOf(std::span<const std::string_view> path, std::string_view action, std::string_view format) {
  if (const Entry* entry = Find(kFormats, format)) return entry->kind;
  const Guess own = path.empty() ? Guess{kNone, "value"} : GuessFrom(path.back());
  if (own.generic.empty()) return own.kind;
  for (std::size_t up = 1; up < path.size() && up < kMaxPath; ++up) {
    const Guess around = GuessFrom(path[path.size() - 1 - up]);
    if (around.generic.empty() && around.kind != kNone) return NameOf(around.kind, own.generic);
  }
  const Guess done = GuessFrom(action);
  if (done.generic.empty() && done.kind != kNone) return NameOf(done.kind, own.generic);
  return own.kind;
}

}  // namespace openseat::checker
