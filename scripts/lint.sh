# Sourced by ./dev: what ./dev lint checks. Each check prints its findings and returns 1 if there were any.
# shellcheck shell=bash

# files PATTERN…: the project files (tracked, or new and not ignored) that match and exist.
files() {
  git ls-files -co --exclude-standard -- "$@" | while read -r file; do
    [[ ! -f $file ]] || echo "$file"
  done
}

cpp_files() { files '*.cc' '*.h'; }

shell_files() {
  local file first
  files '*.sh'
  files dev .ci scripts tests packaging | grep -v '\.sh$' | while read -r file; do
    read -r first <"$file" || true
    [[ $first != '#!'*sh ]] || echo "$file"
  done
}

lint_format() {
  local found
  found=$(cpp_files | xargs -r clang-format-19 --dry-run -Werror 2>&1 | grep -oP '^[^ :]+(?=:\d+:\d+: error)' | uniq || true)
  [[ -z $found ]] || { printf 'Not formatted (./dev lint --fix formats them):\n%s\n' "$found" && return 1; }
}

lint_shell() { shell_files | sort -u | xargs -r shellcheck -x; }

lint_whitespace() {
  local found
  found=$(files '*.cc' '*.h' '*.cmake' '*CMakeLists.txt' '*.sh' '*.awk' '*.json' '*.toml' '*.ts' '*.js' '*.mjs' \
    '*.svelte' '*.css' '*.html' '*.py' dev .ci/run .clang-tidy .clang-format |
    xargs -r grep -nP '\t|[ \t]$' -- || true)
  [[ -z $found ]] || { printf 'Tab or trailing blank:\n%s\n' "$found" && return 1; }
  found=$(git grep -nE '^(<{7}|>{7}) ' || true)
  [[ -z $found ]] || { printf 'Unresolved merge conflict:\n%s\n' "$found" && return 1; }
}

# A caller that plays a game asks core/judge.h: the rules have one caller outside of tests and playouts.
lint_judge() {
  local found
  found=$(git grep -nE '(state|next)_?(->|\.)(Validate|Apply)\(' -- src ':!src/core/judge.cc' ':!src/games' ':!src/testing' \
    ':!src/*_test.cc' ':!src/*_test_support.h' || true)
  [[ -z $found ]] || { printf 'The rules are asked by core/judge.h alone:\n%s\n' "$found" && return 1; }
}

# A protocol renders core/seat_view.h, and gets a Match from the lobby: a cast to it would be a second way.
lint_casts() {
  local found
  found=$(git grep -nE 'dynamic_cast<[^>]*\b(Match|ExternalAgent|WebhookAgent)\b' -- src ':!src/match' ':!src/*_test.cc' || true)
  [[ -z $found ]] || { printf 'Cast of a table or an agent (core/table.h and core/agent.h have virtual functions):\n%s\n' "$found" && return 1; }
}

lint_json() {
  files '*.json' >"$lint_work/json"
  cmake -DLIST="$lint_work/json" -P scripts/check_json.cmake
}

# Relative links in *.md files must lead to existing files.
lint_links() {
  local file line target bad=0
  while IFS=: read -r file line target; do
    target=${target%%#*}
    if [[ -n $target && ! -e $(dirname "$file")/$target ]]; then
      echo "$file:$line: the target '$target' of the link does not exist"
      bad=1
    fi
  done < <(files '*.md' | xargs -r awk -f scripts/links.awk)
  return $bad
}

# Archaic and British words (scripts/words.txt) in prose, comments and messages.
lint_words() {
  local pattern better file line words bad=0
  files '*.md' '*.cc' '*.h' '*.ts' '*.mjs' '*.svelte' '*.css' '*.html' '*.sh' '*.awk' '*.cmake' '*CMakeLists.txt' '*.py' \
    dev .ci/run >"$lint_work/prose"
  while IFS=$'\t' read -r pattern better; do
    while IFS=: read -r file line words; do
      echo "$file:$line: \"$words\": write $better"
      bad=1
    done < <(xargs -r grep -nHoPi -e "$pattern" -- <"$lint_work/prose" || true)
  done < <(grep -v '^#' scripts/words.txt)
  return $bad
}

# The commit at which every source passed last: `./dev lint --all` writes it, and it is committed.
LINTED=scripts/linted

# The sources that CI must check although they have not passed anywhere: those changed since the commit in $LINTED (in a
# clone without that commit, in the last 20), and a tenth of the rest, a different one after each commit.
tidy_share() {
  local base commits
  base=$(git rev-parse -q --verify "$(cat "$LINTED" 2>/dev/null)^{commit}") ||
    base=$(git rev-list --first-parent --max-count=1 --skip=20 HEAD)
  commits=$(git rev-list --count HEAD)
  { git diff --name-only "${base:-HEAD}" && git ls-files -o --exclude-standard; } | sed 's/\.h$/.cc/' |
    awk -v turn=$((commits % 10)) '
      FNR == NR { changed[$0] = 1; next }
      $1 in changed || ++place % 10 == turn' - "$1"
}

# clang-tidy on every source whose key is not in the cache. The key covers everything the findings depend on: the
# source, the project's headers that it includes (directly or not), its flags, .clang-tidy and the program's version.
# All checkouts of this user share the cache, as with ccache.
lint_tidy() {
  local cache=${OPENSEAT_LINT_CACHE:-${XDG_CACHE_HOME:-${HOME:-build}/.cache}/openseat/lint}
  local file flags rest key total bad=0
  mkdir -p "$cache"
  find "$cache" -type f -mtime +30 -delete
  { clang-tidy-19 --version && cat .clang-tidy; } >"$lint_work/common"
  files 'src/*.cc' 'src/*.h' 'tests/*.cc' 'tests/*.h' 'fuzz/*.cc' 'fuzz/*.h' 'bench/*.cc' 'bench/*.h' 'tools/*.cc' 'tools/*.h' |
    xargs sha256sum >"$lint_work/sums"
  awk -v root="$PWD" -f scripts/tidy_flags.awk build/compile_commands.json >"$lint_work/flags"
  awk -f scripts/tidy_keys.awk "$lint_work/flags" "$lint_work/sums" >"$lint_work/keys" || bad=1
  while IFS=$'\t' read -r file flags rest; do
    key=$({ cat "$lint_work/common" && echo "$file ${flags//"$PWD"/} $rest"; } | sha256sum)
    key=$cache/${key%% *}
    if [[ -e $key ]]; then touch "$key"; else printf '%s\t%s\t%s\n' "$file" "$key" "$flags"; fi
  done <"$lint_work/keys" >"$lint_work/new"
  total=$(wc -l <"$lint_work/new")
  echo "$total of $(wc -l <"$lint_work/keys") sources changed since they passed here"
  if [[ -n $lint_all ]]; then
    cp "$lint_work/new" "$lint_work/todo"
  else
    tidy_share "$lint_work/new" >"$lint_work/todo"
    if (($(wc -l <"$lint_work/todo") < total)); then
      total=$(wc -l <"$lint_work/todo")
      echo "$total of them are checked now: those changed since all passed, and a share of the rest (--all checks every one)"
    fi
  fi
  # Most of clang-tidy's time goes into the headers, so sources of one folder with the same flags are checked as one.
  rm -f "$lint_work"/batch_*
  : >"$lint_work/done"
  awk -F '\t' '{ folder = $1; sub(/[^\/]*$/, "", folder); print folder "\t" $0 }' "$lint_work/todo" | sort -t $'\t' -k 1,1 -k 4,4 -k 2,2 |
    awk -F '\t' -v work="$lint_work" '
      # Each of bench/, fuzz/ and tools/ is a program.
      $1 $4 != kind || ++size > 24 || $1 ~ /^(bench|fuzz|tools)\// { kind = $1 $4; size = 1; ++batches }
      { print $2, $3 > sprintf("%s/batch_%04d.list", work, batches); print $4 > sprintf("%s/batch_%04d.flags", work, batches) }'
  find "$lint_work" -name 'batch_*.list' -print0 | sort -z |
    LINT_WORK=$lint_work LINT_TOTAL=$total xargs -0 -r -P "$JOBS" -n 1 scripts/tidy_batch.sh || bad=1
  return $bad
}

lint() {
  local check failed=() what=(format whitespace judge casts shell json links words tidy)
  lint_all=''
  ensure_packages base node lint bench
  git rev-parse --git-dir >/dev/null 2>&1 || die "./dev lint gets the list of files from git, but this folder is not a git checkout"
  case ${1:-} in
    '') ;;
    --fix) cpp_files | xargs -r clang-format-19 -i ;;
    --all) lint_all=1 ;;
    *) wrong_usage "./dev lint takes --fix, --all or nothing; got '$1'" ;;
  esac
  configure release build
  ninja -C build build.ninja >/dev/null || die "The build could not be configured: ./dev build shows why" # the list of sources
  lint_work=build/lint
  mkdir -p "$lint_work"
  for check in "${what[@]}"; do
    stage "Checking: $check"
    "lint_$check" || failed+=("$check")
  done
  ((${#failed[@]} == 0)) || die "Lint failed: ${failed[*]}"
  if [[ -n $lint_all && -z $(git status --porcelain) ]]; then
    git rev-parse HEAD >"$LINTED"
    say "Every source passed: commit $LINTED, so that CI checks what changes from here on"
  fi
  good "Lint: ${#what[@]} passed, 0 failed"
}
