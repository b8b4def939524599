// node make_words.mjs FOLDER OUT
//
// Writes fake_words.cc (contract: ../fake_words.h) from @faker-js/faker installed in FOLDER/node_modules.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { writeFileSync } from 'node:fs';

const MAX_WORDS = 500; // per list
const MAX_BYTES = 60; // per word

const [folder, out] = process.argv.slice(2);
if (!folder || !out) {
  console.error('usage: node make_words.mjs FOLDER OUT');
  process.exit(2);
}
const { base, en } = createRequire(resolve(folder, 'package.json'))('@faker-js/faker');

const member = (list, name) => list.map((entry) => entry[name]);

const LISTS = {
  FirstName: en.person.first_name.generic,
  LastName: en.person.last_name.generic,
  NamePrefix: en.person.prefix.generic,
  Sex: en.person.sex,
  JobDescriptor: en.person.job_descriptor,
  JobArea: en.person.job_area,
  JobType: en.person.job_type,
  Zodiac: en.person.western_zodiac_sign,
  City: en.location.city_name,
  Country: en.location.country,
  CountryCode: member(base.location.country_code, 'alpha2'),
  State: en.location.state,
  County: en.location.county,
  Continent: en.location.continent,
  Street: en.location.street_name,
  Direction: en.location.direction.cardinal,
  TimeZone: base.location.time_zone,
  Language: member(en.location.language, 'name'),
  LanguageCode: member(en.location.language, 'alpha2'),
  Animal: en.animal.type,
  PetName: en.animal.pet_name,
  DogBreed: en.animal.dog,
  Creatures: en.team.creature,
  Color: en.color.human,
  Dish: en.food.dish,
  Fruit: en.food.fruit,
  Vegetable: en.food.vegetable,
  Ingredient: en.food.ingredient,
  Spice: en.food.spice,
  Cuisine: en.food.ethnic_category,
  Department: en.commerce.department,
  ProductAdjective: en.commerce.product_name.adjective,
  ProductMaterial: en.commerce.product_name.material,
  Product: en.commerce.product_name.product,
  LegalEntity: en.company.legal_entity_type,
  BuzzVerb: en.company.buzz_verb,
  BuzzAdjective: en.company.buzz_adjective,
  BuzzNoun: en.company.buzz_noun,
  BookTitle: en.book.title,
  BookAuthor: en.book.author,
  BookGenre: en.book.genre,
  Publisher: en.book.publisher,
  MusicGenre: en.music.genre,
  Song: en.music.song_name,
  Artist: en.music.artist,
  Album: en.music.album,
  VehicleMaker: en.vehicle.manufacturer,
  VehicleModel: en.vehicle.model,
  VehicleType: en.vehicle.type,
  Fuel: en.vehicle.fuel,
  Month: en.date.month.wide,
  Weekday: en.date.weekday.wide,
  Currency: member(en.finance.currency, 'name'),
  CurrencyCode: member(en.finance.currency, 'code'),
  Airline: member(en.airline.airline, 'name'),
  Airport: member(en.airline.airport, 'name'),
  Element: member(en.science.chemical_element, 'name'),
  Unit: member(en.science.unit, 'name'),
  Adjective: en.word.adjective,
  Adverb: en.word.adverb,
  Noun: en.word.noun,
  Verb: en.word.verb,
  Interjection: en.word.interjection,
  Emoji: [...base.internet.emoji.smiley, ...base.internet.emoji.nature, ...base.internet.emoji.activity],
  MimeType: Object.keys(base.system.mime_type),
  Domain: en.internet.example_email,
};

const isWord = (word) =>
  typeof word === 'string' &&
  Buffer.byteLength(word) > 0 &&
  Buffer.byteLength(word) <= MAX_BYTES &&
  word === word.trim() &&
  !/[\u0000-\u001f\u007f]|\{\{/.test(word);

// At most MAX_WORDS, spread evenly over the alphabet.
function chosen(name, list) {
  const words = [...new Set((list ?? []).filter(isWord))];
  if (words.length === 0) throw new Error(`@faker-js/faker no longer has a list for ${name}`);
  if (words.length <= MAX_WORDS) return words;
  return Array.from({ length: MAX_WORDS }, (_, i) => words[Math.floor((i * words.length) / MAX_WORDS)]);
}

// A C++ string literal; three octal digits cannot run into what follows.
function quoted(word) {
  let text = '';
  for (const byte of Buffer.from(word)) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c && byte !== 0x3f;
    text += plain ? String.fromCharCode(byte) : '\\' + byte.toString(8).padStart(3, '0');
  }
  return `{"${text}", ${Buffer.byteLength(word)}}`;
}

let arrays = '';
let cases = '';
for (const [name, list] of Object.entries(LISTS)) {
  const words = chosen(name, list);
  arrays += `constexpr std::string_view k${name}[] = {\n${words.map((word) => `    ${quoted(word)},\n`).join('')}};\n`;
  cases += `    case WordList::k${name}:\n      return k${name};\n`;
}

writeFileSync(
  out,
  `// Made by src/checker/words/make_words.mjs from @faker-js/faker (MIT license): do not edit.
#include "checker/fake_words.h"

namespace openseat::checker {
namespace {

${arrays}
}  // namespace

std::span<const std::string_view> Words(WordList list) {
  switch (list) {
${cases}  }
  return kNoun;
}

}  // namespace openseat::checker
`,
);
