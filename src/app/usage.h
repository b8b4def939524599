// What is said of a wrong command line: what came, and what was expected.
#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own
class App;
class ParseError;
}  // namespace CLI

namespace openseat::app {

// Lets every option that is a whole number without a sign refuse one with a minus, which the library would wrap.
void RefuseNegatives(CLI::App& program);

// One sentence for what `program` refused.
std::string Explain(const CLI::App& program, const CLI::ParseError& error);

}  // namespace openseat::app
