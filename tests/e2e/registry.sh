#!/usr/bin/env bash
# Accounts, API keys and decks, over REST and on the command line, and what remains of them after a kill.
# usage: registry.sh OPENSEAT
set -euo pipefail
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
member() { grep -oE "\"$1\":\"[^\"]*\"" | head -1 | cut -d'"' -f4; } # member NAME: the value of that member in the JSON on standard input

start_as data 127.0.0.1:0 --chimera-listen none

# Accounts.
made=$(http POST /api/v1/accounts '{"name":"Alex"}')
expect "a new account" "$made" '201 Created'
account=$(member id <<<"$made")
expect "the same name" "$(http POST /api/v1/accounts '{"name":"ALEX"}')" '409 .*'
expect "why" "$(http POST /api/v1/accounts '{"name":"ALEX"}')" '"code":"conflict".*already.*"path":"name"'
expect "no name" "$(http POST /api/v1/accounts '{}')" '"code":"invalid".*name'
expect "another member" "$(http POST /api/v1/accounts '{"name":"B","admin":true}')" '400 .*'
expect "no JSON" "$(http POST /api/v1/accounts '{')" '"code":"parse"'
expect "all accounts" "$(http GET /api/v1/accounts)" "\"accounts\":\[\{\"id\":\"$account\",\"name\":\"Alex\""

# API keys: over REST, and on the command line while the server runs.
made=$(http POST /api/v1/keys '{"label":"over REST","account":"alex"}')
expect "a new key" "$made" "201 Created"
expect "its account" "$made" "\"account\":\"$account\""
expect "its secret" "$made" '"secret":"osk_[a-z2-7]{36}"'
secret=$(member secret <<<"$made")
key=$(member id <<<"$made")
cli=$("$openseat" key create --label "from the shell" --data-dir "$dir/data" 2>/dev/null)
expect "a key of the command line" "$cli" '^osk_[a-z2-7]{36}$'
listed=$(http GET /api/v1/keys)
expect "both keys" "$listed" 'from the shell.*over REST'
refuse "a secret" "$listed" "${secret:8}|${cli:8}|hash"
expect "the list of the command line" "$("$openseat" key list --data-dir "$dir/data")" "$key .*never used .*over REST"
expect "and as JSON" "$("$openseat" key list --json --data-dir "$dir/data")" "^\{\"id\":\"$key\",\"label\":\"over REST\""
expect "revoking" "$(http DELETE "/api/v1/keys/$key")" '"revoked":"20'
expect "revoked" "$("$openseat" key list --data-dir "$dir/data")" "$key .*revoked 20"
expect "no such key" "$(http DELETE /api/v1/keys/k-none)" '404 '
expect "no such key to revoke" "$(exits 2 "$openseat" key revoke k-none --data-dir "$dir/data")" 'no API key "k-none"'
expect "no data directory" "$(exits 2 "$openseat" key create --data-dir "$dir/typo")" 'there is no data directory .*/typo; .openseat serve --data-dir .*typo. makes it'
[ ! -e "$dir/typo" ] || fail "a key made a data directory"
expect "no such account" "$(exits 2 "$openseat" key create --account Bo --data-dir "$dir/data")" 'no account "Bo"'
expect "neither" "$(exits 2 "$openseat" key --data-dir "$dir/data")" 'openseat'
expect "a key for an unknown account" "$(http POST /api/v1/keys '{"account":"Bo"}')" '404 '

# Decks.
text='Precision\n\nHaas-Bioroid: Precision Design\n3x Hedge Fund\n3 Palisade'
expect "what is wrong with a deck" "$(http POST /api/v1/decks/validate "{\"text\":\"$text\"}")" \
  '"size":6,"valid":false,"problems":\[\{"message":"the Corp.s deck has 40 to 60 cards; got 6"'
expect "nothing is kept" "$(http GET /api/v1/decks)" '"decks":\[\]'
made=$(http POST /api/v1/decks "{\"text\":\"$text\",\"account\":\"Alex\"}")
expect "a new deck" "$made" '201 Created'
expect "its cards" "$made" '"name":"Precision".*"side":"corp".*"identity":"30035","cards":\{"30072":3,"30075":3\}'
deck=$(member id <<<"$made")
expect "one deck" "$(http GET "/api/v1/decks/$deck")" "\"account\":\"$account\""
expect "its text" "$(http GET "/api/v1/decks/$deck/text")" '^3x Hedge Fund$'
expect "a deck in its place" \
  "$(http PUT "/api/v1/decks/$deck" '{"netrunnerdb":{"data":[{"name":"Fast","cards":{"30051":1,"30075":2}}]}}')" \
  '"name":"Fast".*"identity":"30051","cards":\{"30075":2\}'
other=$(http POST /api/v1/decks '{"name":"Mine","cards":{"Sure Gamble":3},"identity":"30001","notes":"slow"}')
expect "a deck by titles" "$other" '"side":"runner".*"cards":\{"30030":3\},"size":3,"notes":"slow"'
expect "decks of a side" "$(http GET '/api/v1/decks?side=runner')" '"decks":\[\{"id":"d-[a-z2-7]+","name":"Mine"'
expect "decks of an account" "$(http GET '/api/v1/decks?account=Alex')" '"decks":\[\]'
expect "unknown cards" "$(http POST /api/v1/decks '{"text":"3x Hedge Fund\n2x Account Siphon"}')" \
  '"code":"parse".*line 2: unknown card ..Account Siphon'
expect "cards twice" "$(http POST /api/v1/decks '{"text":"3x Hedge Fund","cards":{}}')" '400 '
expect "a wrong count" "$(http POST /api/v1/decks '{"cards":{"30075":0}}')" '400 '
expect "another game's" "$(http POST /api/v1/decks '{"game":"chess","cards":{}}')" '"path":"game"'
expect "no such deck" "$(http GET /api/v1/decks/d-none)" '404 '
expect "deleting a deck" "$(http DELETE "/api/v1/decks/$deck")" '200 OK'
expect "deleting it again" "$(http DELETE "/api/v1/decks/$deck")" '404 '
expect "the cards" "$(http GET /api/v1/hosted-games/netrunner/cards)" '"code":"30075","title":"Hedge Fund","side":"corp"'
expect "a game without cards" "$(http GET /api/v1/hosted-games/tictactoe/cards)" '404 '

# The owner of the file, and that it outlives the server.
expect "the file's mode" "$(stat -c %a "$dir/data/registry.db")" '^600$'
stop_as data KILL
start_as data 127.0.0.1:0 --chimera-listen none
expect "the account is there" "$(http GET /api/v1/accounts)" '"name":"Alex"'
expect "the deck is there" "$(http GET /api/v1/decks)" '"name":"Mine"'
expect "the key is revoked" "$(http GET /api/v1/keys)" '"label":"over REST".*"revoked"'
expect "deleting an account" "$(http DELETE "/api/v1/accounts/$account")" '200 OK'
expect "no page of another site" "$(http POST /api/v1/keys '{}' 'Origin: http://evil.example')" '403 '
stop_as data TERM
