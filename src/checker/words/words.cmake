# Sets FAKE_WORDS to fake_words.cc, and generates it: npm installs @faker-js/faker into the build folder, once per lock
# file, and node reads the word lists (make_words.mjs). Neither is needed to run the program.
find_program(BASH bash REQUIRED)
find_program(NODE NAMES node nodejs)
if(NOT NODE)
  message(FATAL_ERROR "Node.js is needed to build the word lists of the checker's fake data: ./dev build installs it, "
                      "or, on Debian, apt-get install nodejs npm")
endif()
set(words ${CMAKE_CURRENT_LIST_DIR})
set(packages ${CMAKE_CURRENT_BINARY_DIR}/words)
set(FAKE_WORDS ${CMAKE_CURRENT_BINARY_DIR}/fake_words.cc)
add_custom_command(
  OUTPUT ${packages}/.installed
  COMMAND ${BASH} ${CMAKE_SOURCE_DIR}/scripts/npm_ci.sh ${words} ${packages}
  DEPENDS ${words}/package.json ${words}/package-lock.json ${CMAKE_SOURCE_DIR}/scripts/npm_ci.sh
  COMMENT "Installing @faker-js/faker for the checker's word lists" VERBATIM)
add_custom_command(
  OUTPUT ${FAKE_WORDS}
  COMMAND ${NODE} ${words}/make_words.mjs ${packages} ${FAKE_WORDS}
  DEPENDS ${words}/make_words.mjs ${packages}/.installed
  COMMENT "Making the checker's word lists" VERBATIM)
