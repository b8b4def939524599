# awk -f tidy_keys.awk FLAGS SUMS
#
# FLAGS is the output of tidy_flags.awk, SUMS that of sha256sum over the project's C++ files. Prints for every source to
# check, separated by tabs: its path, its flags ("-": it is not in the build), and the checksums of the source and of the
# project's headers that it includes, directly or not.

# Reads the quoted includes of `path`, once.
function read_includes(path,    line, header, folder) {
  if (path in included) return
  included[path] = ""
  folder = path
  sub(/[^\/]*$/, "", folder)
  while ((getline line < path) > 0) {
    if (line !~ /^[ \t]*#[ \t]*include[ \t]*"/) continue
    header = line
    sub(/^[^"]*"/, "", header)
    sub(/".*/, "", header)
    if (("src/" header) in sum) included[path] = included[path] " src/" header
    else if ((folder header) in sum) included[path] = included[path] " " folder header
  }
  close(path)
}

# The checksums of `path` and all its includes, in include order.
function sums_below(path,    queue, count, next_one, parts, n, i, seen, result) {
  queue[1] = path
  count = 1
  seen[path] = 1
  result = ""
  for (next_one = 1; next_one <= count; next_one++) {
    result = result " " sum[queue[next_one]]
    read_includes(queue[next_one])
    n = split(included[queue[next_one]], parts, " ")
    for (i = 1; i <= n; i++) {
      if (!(parts[i] in seen)) {
        seen[parts[i]] = 1
        queue[++count] = parts[i]
      }
    }
  }
  return result
}

FNR == NR {
  at = index($0, "\t")
  flags[substr($0, 1, at - 1)] = substr($0, at + 1)
  next
}
{ sum[$2] = $1; order[++total] = $2 }

END {
  for (i = 1; i <= total; i++) {
    file = order[i]
    if (file !~ /\.cc$/) continue
    if (file in flags) print file "\t" flags[file] "\t" sums_below(file)
    else if (file ~ /^(fuzz|bench|tools)\//) print file "\t-\t" sums_below(file)
    else if (file ~ /^src\//) {
      print file " is in no CMakeLists.txt" > "/dev/stderr"
      forgotten = 1
    }
  }
  exit forgotten
}
