# awk -v work=FOLDER -f tidy_batches.awk TODO
#
# TODO has lines of "SOURCE<tab>KEY<tab>FLAGS", those with the same flags together. Writes FOLDER/batch_N.list, lines of
# "SOURCE KEY": at most twelve sources of one folder and the same flags, none of which gives a name at its own level that
# another one gives too, as far as their lines tell. Where two clash all the same, tidy_batch.sh halves the batch.

# The names that `path` defines: of constants, types, functions and tests.
function names_of(path,    line, found) {
  split("", names)
  while ((getline line < path) > 0) {
    if (line !~ /^[A-Za-z]/) continue
    if (match(line, /^(constexpr|const|static|inline|using|struct|class|enum|auto|thread_local)[^=({;]*[=({;]/)) {
      found = substr(line, RSTART, RLENGTH - 1)
      sub(/ : .*/, "", found)
      sub(/ final *$/, "", found)
      gsub(/\[[^]]*\]|<[^>]*>/, "", found)
      sub(/ *$/, "", found)
      sub(/.*[ *&]/, "", found)
      names[found] = 1
    } else if (line !~ /::[A-Za-z_~]*\(/ && match(line, /[A-Za-z_0-9]+\(/)) {
      names[line] = 1  # functions of one name may differ in what they take
    }
  }
  close(path)
}

BEGIN { FS = "\t" }
{
  folder = $1
  sub(/[^\/]*$/, "", folder)
  kind = folder " " $3
  names_of($1)
  chosen = 0
  # Each of bench/, fuzz/ and tools/ is a program.
  for (i = first[kind]; i && i <= last[kind] && folder !~ /^(bench|fuzz|tools)\//; i++) {
    number = batch[kind, i]
    if (size[number] >= 12) continue
    clash = 0
    for (name in names) if ((number, name) in taken) { clash = 1; break }
    if (!clash) { chosen = number; break }
  }
  if (!chosen) {
    chosen = ++batches
    if (!first[kind]) first[kind] = 1
    batch[kind, ++last[kind]] = chosen
  }
  size[chosen]++
  for (name in names) taken[chosen, name] = 1
  print $1, $2 > sprintf("%s/batch_%04d.list", work, chosen)
}
