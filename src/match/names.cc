#include "match/names.h"

#include <array>
#include <string_view>

namespace openseat {
namespace {

constexpr auto kAdjectives = std::to_array<std::string_view>(
    {"able",    "agile",    "airy",        "alert",    "amber",     "ample",    "ancient",  "apt",      "ardent",
     "artful",  "ashen",    "astute",      "autumn",   "avid",      "awake",    "azure",    "balmy",    "bashful",
     "beaming", "blithe",   "bold",        "brave",    "breezy",    "bright",   "brisk",    "bronze",   "bubbly",
     "busy",    "calm",     "candid",      "careful",  "carefree",  "casual",   "cheerful", "chilly",   "civil",
     "classic", "clear",    "clever",      "cloudy",   "coastal",   "cobalt",   "copper",   "coral",    "cordial",
     "cosmic",  "cozy",     "crafty",      "crimson",  "crisp",     "curious",  "dainty",   "dapper",   "daring",
     "dashing", "dawning",  "deft",        "dewy",     "diligent",  "distant",  "dreamy",   "drifting", "dusky",
     "eager",   "early",    "earnest",     "easy",     "elegant",   "elfin",    "emerald",  "endless",  "even",
     "exact",   "fabled",   "fair",        "faithful", "famous",    "fancy",    "fearless", "feathery", "festive",
     "fiery",   "fine",     "firm",        "fleet",    "floral",    "fluffy",   "foggy",    "fond",     "frank",
     "free",    "fresh",    "friendly",    "frosty",   "gallant",   "gentle",   "genuine",  "giddy",    "gilded",
     "glad",    "gleaming", "glowing",     "golden",   "graceful",  "grand",    "grateful", "hardy",    "hasty",
     "hazel",   "hearty",   "hidden",      "honest",   "hopeful",   "humble",   "icy",      "ideal",    "indigo",
     "ivory",   "jade",     "jaunty",      "jolly",    "jovial",    "joyful",   "keen",     "kind",     "lasting",
     "lavish",  "leafy",    "lilac",       "limber",   "lively",    "lofty",    "loyal",    "lucid",    "lucky",
     "lunar",   "lush",     "magnificent", "marble",   "maroon",    "mellow",   "merry",    "mighty",   "mild",
     "misty",   "modest",   "mossy",       "muted",    "nearby",    "neat",     "nimble",   "noble",    "northern",
     "noted",   "novel",    "olive",       "opal",     "open",      "orderly",  "patient",  "pearly",   "peppy",
     "placid",  "plain",    "playful",     "plucky",   "plush",     "polite",   "prime",    "proper",   "proud",
     "prudent", "quaint",   "quick",       "quiet",    "radiant",   "rapid",    "rare",     "ready",    "regal",
     "rosy",    "rugged",   "rustic",      "sandy",    "scarlet",   "secret",   "serene",   "shady",    "sharp",
     "shiny",   "silent",   "silken",      "silver",   "sincere",   "sleek",    "smooth",   "snowy",    "snug",
     "solar",   "solemn",   "solid",       "southern", "spirited",  "splendid", "spry",     "stately",  "steady",
     "stellar", "sturdy",   "subtle",      "summer",   "sunny",     "supple",   "swift",    "tawny",    "tender",
     "thrifty", "tidal",    "tidy",        "timely",   "tranquil",  "trusty",   "upbeat",   "urban",    "valiant",
     "velvet",  "verdant",  "vernal",      "vivid",    "wandering", "warm",     "wary",     "western",  "whimsical",
     "wild",    "windy",    "winter",      "wise",     "witty",     "wooden",   "woolly",   "worthy",   "zesty"});

constexpr auto kAnimals = std::to_array<std::string_view>(
    {"aardvark",   "albatross",  "alpaca",      "antelope",  "armadillo",  "auk",       "axolotl",    "badger",
     "barracuda",  "bat",        "beaver",      "beetle",    "bison",      "bittern",   "boar",       "bobcat",
     "bonobo",     "buffalo",    "bullfinch",   "bumblebee", "bustard",    "buzzard",   "camel",      "caracal",
     "caribou",    "cassowary",  "catfish",     "chameleon", "cheetah",    "chickadee", "chinchilla", "chipmunk",
     "cicada",     "clam",       "cobra",       "cockatoo",  "condor",     "coral",     "cormorant",  "cougar",
     "coyote",     "crab",       "crane",       "cricket",   "crow",       "cuckoo",    "curlew",     "deer",
     "dingo",      "dipper",     "dolphin",     "donkey",    "dormouse",   "dove",      "dragonfly",  "duck",
     "dugong",     "dunlin",     "eagle",       "earwig",    "echidna",    "eel",       "egret",      "eider",
     "elephant",   "elk",        "emu",         "ermine",    "falcon",     "ferret",    "finch",      "firefly",
     "flamingo",   "flounder",   "fox",         "frog",      "fulmar",     "gannet",    "gazelle",    "gecko",
     "gerbil",     "gibbon",     "giraffe",     "gnu",       "goat",       "goldfinch", "goose",      "gopher",
     "gorilla",    "grebe",      "grouse",      "guillemot", "gull",       "guppy",     "haddock",    "hamster",
     "hare",       "harrier",    "hawk",        "hedgehog",  "heron",      "herring",   "hippo",      "hoopoe",
     "hornbill",   "horse",      "hummingbird", "hyena",     "ibex",       "ibis",      "iguana",     "impala",
     "jackal",     "jackdaw",    "jaguar",      "jay",       "jellyfish",  "jerboa",    "kangaroo",   "kestrel",
     "kingfisher", "kite",       "kiwi",        "koala",     "kookaburra", "krill",     "kudu",       "ladybird",
     "lapwing",    "lark",       "lemming",     "lemur",     "leopard",    "limpet",    "linnet",     "lion",
     "lizard",     "llama",      "lobster",     "locust",    "loon",       "loris",     "lynx",       "macaw",
     "mackerel",   "magpie",     "mallard",     "manatee",   "mandrill",   "manta",     "marlin",     "marmot",
     "marten",     "meerkat",    "merlin",      "mink",      "minnow",     "mole",      "mongoose",   "moorhen",
     "moose",      "moth",       "mouse",       "mule",      "narwhal",    "newt",      "nightjar",   "numbat",
     "nuthatch",   "ocelot",     "octopus",     "okapi",     "opossum",    "orca",      "oriole",     "oryx",
     "osprey",     "ostrich",    "otter",       "owl",       "oyster",     "panda",     "pangolin",   "panther",
     "parrot",     "partridge",  "peacock",     "pelican",   "penguin",    "perch",     "petrel",     "pheasant",
     "pigeon",     "pika",       "pike",        "pipit",     "platypus",   "plover",    "polecat",    "pony",
     "porcupine",  "porpoise",   "prawn",       "puffin",    "puma",       "python",    "quail",      "quokka",
     "rabbit",     "raccoon",    "ram",         "raven",     "redstart",   "reindeer",  "rhino",      "robin",
     "rook",       "salamander", "salmon",      "sandpiper", "sardine",    "seahorse",  "seal",       "serval",
     "shark",      "sheep",      "shrew",       "shrike",    "shrimp",     "skink",     "skua",       "skunk",
     "skylark",    "sloth",      "snail",       "snipe",     "sparrow",    "spoonbill", "squid",      "squirrel",
     "starfish",   "starling",   "stingray",    "stoat",     "stork",      "sturgeon",  "swallow",    "swan",
     "swift",      "tapir",      "tarsier",     "teal",      "tern",       "terrapin",  "thrush",     "tiger",
     "toad",       "tortoise",   "toucan",      "trout",     "tuna",       "turkey",    "turtle",     "viper",
     "vole",       "vulture",    "wagtail",     "wallaby",   "walrus",     "warbler",   "wasp",       "weasel",
     "weevil",     "whale",      "whelk",       "wolf",      "wolverine",  "wombat",    "woodcock",   "woodpecker",
     "wren",       "yak",        "zebra",       "zebu"});

}  // namespace

std::string TwoWords(std::uint64_t number) {
  const std::string_view adjective = kAdjectives[number % kAdjectives.size()];
  const std::string_view animal = kAnimals[(number / kAdjectives.size()) % kAnimals.size()];
  return std::string(adjective) + "-" + std::string(animal);
}

}  // namespace openseat
