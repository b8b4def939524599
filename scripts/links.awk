# Prints "file:line:target" for every relative link of Markdown files, outside code.
FNR == 1 { fenced = 0 }
/^ *(```|~~~)/ { fenced = !fenced; next }
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
