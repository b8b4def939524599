# awk -v root=… -f tidy_flags.awk build/compile_commands.json
#
# Prints for every source, alone or within a unit (cmake/Unite.cmake), its path and the include folders and definitions
# that it is compiled with, separated by a tab.

function print_source(path) {
  if (index(path, root "/") != 1) return
  print substr(path, length(root) + 2) "\t" flags
}

/^ *"command":/ {
  flags = ""
  count = split($0, words, " ")
  for (i = 1; i <= count; i++) {
    if (words[i] == "-isystem") flags = flags " -isystem " words[++i]
    else if (words[i] ~ /^-[DI]/) flags = flags " " words[i]
  }
  gsub(/\\\\/, "", flags)
  gsub(/\\"/, "\"", flags)
}
/^ *"file":/ {
  file = $0
  sub(/^ *"file": "/, "", file)
  sub(/".*/, "", file)
  if (file !~ /\/Unity\//) print_source(file)
  else {
    while ((getline line < file) > 0) {
      if (line ~ /^#include "/) {
        sub(/^#include "/, "", line)
        sub(/".*/, "", line)
        print_source(line)
      }
    }
    close(file)
  }
}
