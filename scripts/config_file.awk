# Prints a configuration file with every setting of docs/configuration.md, commented out: the page's TOML
# block, whose keys a test compares with the program's. Variables: homepage.
BEGIN {
  print "# The configuration of Openseat. Everything here is commented out: the values are the defaults, or examples where"
  print "# there is no default. To set one, remove the # in front of it and of its [section]."
  print "# Restart after a change (systemctl restart openseat); certificates and the log's level: systemctl reload openseat."
  print "# All of it is explained at " homepage "/blob/main/docs/configuration.md"
  print ""
}
/^```toml/ && !done { inside = 1; next }
/^```/ && inside { inside = 0; done = 1 }
inside {
  gsub(/\]\([^)]*\)/, "]")
  print $0 == "" ? "" : /^#/ ? $0 : "# " $0
}
END { if (!done) { print "docs/configuration.md has no block of TOML" > "/dev/stderr"; exit 1 } }
