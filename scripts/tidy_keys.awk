# awk -v root=… -f tidy_keys.awk build/compile_commands.json SUMS
#
# SUMS is the output of sha256sum over the project's C++ files. Prints for every source to check, separated by tabs:
# its path, its flags (without the checkout's own path), and the sums of the source and of the project's headers that it
# includes, directly or not.

function relative(path) {
  return index(path, root "/") == 1 ? substr(path, length(root) + 2) : path
}

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

# The sums of `path` and of all that it includes, in the order of the includes.
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

FNR == NR && /^ *"command":/ {
  command = $0
  gsub(root "/", "", command)
  sub(/^ *"command": "/, "", command)
  gsub(/ -W[^ ]+/, "", command)  # clang-tidy is told to leave warnings to the compiler
  sub(/ -o .*/, "", command)     # where the object goes changes nothing
  next
}
FNR == NR && /^ *"file":/ {
  file = $0
  sub(/^ *"file": "/, "", file)
  sub(/".*/, "", file)
  flags[relative(file)] = command
  next
}
FNR == NR { next }
{ sum[$2] = $1; order[++total] = $2 }

END {
  for (i = 1; i <= total; i++) {
    file = order[i]
    if (file !~ /\.cc$/) continue
    if (file in flags) print file "\t" flags[file] "\t" sums_below(file)
    else if (file ~ /^(fuzz|bench)\//) print file "\t-\t" sums_below(file)
    else if (file ~ /^src\//) {
      print file " is in no CMakeLists.txt" > "/dev/stderr"
      forgotten = 1
    }
  }
  exit forgotten
}
