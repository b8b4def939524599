// The word lists for the checker's fake data, from the npm package @faker-js/faker: words/make_words.mjs writes
// fake_words.cc into the build folder. The same version of the package gives the same lists in the same order.
//
// A list added here also needs a line in make_words.mjs; the compiler reports a mismatch in either direction.
#pragma once

#include <span>
#include <string_view>

namespace openseat::checker {

enum class WordList {
  kFirstName,
  kLastName,
  kNamePrefix,
  kSex,
  kJobDescriptor,
  kJobArea,
  kJobType,
  kZodiac,
  kCity,
  kCountry,
  kCountryCode,  // ISO 3166-1 alpha-2
  kState,
  kCounty,
  kContinent,
  kStreet,
  kDirection,
  kTimeZone,
  kLanguage,
  kLanguageCode,
  kAnimal,
  kPetName,
  kDogBreed,
  kCreatures,  // "bears": nouns in team names
  kColor,
  kDish,
  kFruit,
  kVegetable,
  kIngredient,
  kSpice,
  kCuisine,
  kDepartment,
  kProductAdjective,
  kProductMaterial,
  kProduct,
  kLegalEntity,
  kBuzzVerb,
  kBuzzAdjective,
  kBuzzNoun,
  kBookTitle,
  kBookAuthor,
  kBookGenre,
  kPublisher,
  kMusicGenre,
  kSong,
  kArtist,
  kAlbum,
  kVehicleMaker,
  kVehicleModel,
  kVehicleType,
  kFuel,
  kMonth,
  kWeekday,
  kCurrency,
  kCurrencyCode,
  kAirline,
  kAirport,
  kElement,
  kUnit,
  kAdjective,
  kAdverb,
  kNoun,
  kVerb,
  kInterjection,
  kEmoji,
  kMimeType,
  kDomain,  // reserved for examples: nobody receives mail there
};

// Never empty. Words are UTF-8, trimmed, without control characters, of 1 to 60 bytes.
std::span<const std::string_view> Words(WordList list);

}  // namespace openseat::checker
