# Prints "file:line:target" for every relative link of Markdown files, outside code.
FNR == 1 { fenced = 0 }
# A block ends with the characters that it began with.
/^ *(```|~~~)/ {
  mark = substr($0, match($0, /[`~]/), 3)
  if (!fenced) begun = mark
  if (!fenced || mark == begun) fenced = !fenced
  next
}
fenced { next }
{
  text = $0
  gsub(/`[^`]*`/, "", text)
  while (match(text, /\]\([^) ]+/)) {
    target = substr(text, RSTART + 2, RLENGTH - 2)
    text = substr(text, RSTART + RLENGTH)
    if (target !~ /^([a-z]+:|#|\/)/) print FILENAME ":" FNR ":" target
  }
}
