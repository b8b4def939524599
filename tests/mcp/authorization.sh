#!/usr/bin/env bash
# Who may use /mcp: with an authorization server (tokens checked by its keys, or by introspection), without one from this
# machine and from elsewhere; and the handshake of a host with revision 2025-06-18.
# usage: authorization.sh OPENSEAT PACKAGES
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/common.sh
source "$here/../e2e/common.sh"
packages=$2
node=$(compgen -G "$packages/node_modules/node-linux-*/bin/node" | head -1) || fail "the pinned Node.js is not installed"
# Node.js finds packages next to the program that needs them.
cp "$here/authorization.mjs" "$packages/"

"$node" "$here/auth_server.mjs" >"$dir/auth.out" 2>"$dir/auth.log" &
servers[auth]=$!
wait_until "the authorization server" test -s "$dir/auth.out"
auth=$(head -1 "$dir/auth.out")
admin() { sed -nE 's/.*shown only now: //p' "$dir/$1.out"; }
check() { "$node" "$packages/authorization.mjs" "$@" 2>&1 || fail "authorization.mjs $*"; }

# The tokens contain the server's port, so it must be known first.
start_as probe 127.0.0.1:0 --chimera-listen none
stop_as probe TERM
cat >"$dir/jwt.toml" <<END
[mcp]
resource = "http://127.0.0.1:$port/mcp"
authorization_servers = ["http://127.0.0.1:$auth"]
scopes = ["play"]
END
start_as jwt "127.0.0.1:$port" --chimera-listen none --config "$dir/jwt.toml"
check jwt "$port" "$auth" "$(admin jwt)"
stop_as jwt TERM

{
  cat "$dir/jwt.toml"
  echo "introspection_url = \"http://127.0.0.1:$auth/introspect\""
  echo 'client_id = "openseat"'
  echo 'client_secret_env = "INTROSPECTION_SECRET"'
} >"$dir/introspection.toml"
INTROSPECTION_SECRET=hush start_as introspection "127.0.0.1:$port" --chimera-listen none --config "$dir/introspection.toml"
check introspection "$port" "$auth" "$(admin introspection)"
stop_as introspection TERM

other=$("$node" -p "Object.values(os.networkInterfaces()).flat().find((each) => !each.internal && each.family === 'IPv4')?.address ?? ''")
start_as open "127.0.0.1:$port" ${other:+--listen "$other:$port" --insecure} --chimera-listen none
check open "$port" "" "$(admin open)"
stop_as open TERM
printf '[mcp]\nscopes = ["play"]\n' >"$dir/little.toml"
expect "an incomplete section" "$(exits 2 "$openseat" serve --config "$dir/little.toml")" 'resource must be an https'
echo "everything as expected"
