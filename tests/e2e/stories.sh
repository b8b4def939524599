#!/usr/bin/env bash
# Stories over HTTP: the rules of the narrative protocol, one by one, on the real program, with a stand-in for the
# models. usage: stories.sh OPENSEAT MODEL_STAND_IN
set -euo pipefail

stand_in=$2
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
key=sk-test-4f5e6d7c8b9a0
export OPENAI_API_KEY=$key GEMINI_API_KEY=$key ANTHROPIC_API_KEY=$key
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY

# Otherwise the end of the test would wait for the end of the stand-in.
trap 'kill -9 "${STAND_IN_PID:-}" 2>/dev/null || true; cleanup' EXIT

provide() {  # provide STEPS: starts a stand-in; sets models (its port)
  coproc STAND_IN { exec "$stand_in" "$key" "$1"; }
  read -r models <&"${STAND_IN[0]}"
}
retire() {  # stops the stand-in, and checks that every request was correct
  local seen pid=$STAND_IN_PID
  exec 3<>"/dev/tcp/127.0.0.1/$models"
  printf 'GET /report HTTP/1.1\r\nHost: x\r\n\r\n' >&3
  seen=$(sed -n '$p' <&3)
  exec 3>&-
  expect "the requests of $1" "$seen" '"faults":\[\]'
  eval "exec ${STAND_IN[1]}>&-"
  wait "$pid"
}
configure() {  # configure PROVIDER [MORE [SECTION]]: writes the config file
  cat >"$dir/openseat.toml" <<TOML
[models.it]
provider = "$1"
base_url = "http://127.0.0.1:$models/$1"
model = "some-model"
timeout = 0.3
backoff = 0.001
${2:-}
${3:-}
TOML
}
begin() {  # begin BODY [HEADER]: starts a new story; sets answer, story (its id)
  answer=$(http POST /api/games "$1" "${2:-}")
  story=$(grep -oE '"data":\{"id":"[a-z0-9-]+"' <<<"$answer" | cut -d'"' -f6) || story=
}
choice() {  # choice ANSWER: the id of the first choice offered
  grep -oE '"choices":\[\{"id":"[^"]+"' <<<"$1" | head -1 | cut -d'"' -f6
}
turn() {  # turn BODY [HEADER [QUERY]]: plays a turn of the story; sets answer
  answer=$(http POST "/api/games/$story/turns${3:-}" "$1" "${2:-}")
}
body() {  # body ANSWER
  sed -n '$p' <<<"$1"
}
uuid='[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'
meta="\"meta\":\{\"traceId\":\"$uuid\"\}"

# --- Without a model, the storyteller tells a story to its end. ---
start_as plain 127.0.0.1:0 --chimera-listen none
list=$(http GET /api/games "")
expect "the scenarios" "$list" '"ok":true,"data":\{"scenarios":\[\{"id":"whispering-woods",.*"lamp-at-skerry".*"last-tram"'
expect "the envelope" "$list" "$meta"
expect "the versions" "$list" '"schemaVersions":\[1,2\]'
begin '{"scenario":"whispering-woods","player":"Ana","turns":11}'
expect "a new story" "$answer" '^HTTP/1.1 201 '
expect "a new story" "$answer" "^\{\"ok\":true,\"data\":\{\"id\":\"$story\",.*$meta\}$"
expect "its narrator" "$answer" '"narrator":\{"kind":"storyteller"\}'
expect "its opening" "$answer" '"turnNumber":1,.*"turn":\{"narrative":".*Ana.*","emotion":"neutral","choices":\[\{"id":'
expect "its state" "$answer" '"state":\{"turnNumber":1,"maxTurns":11,"relationships":\{"npc.kiera":0,.*"factions":\{.*"worldState":\{'
for number in 2 3 4 5 6 7 8 9 10; do
  turn "{\"choiceId\":\"$(choice "$answer")\"}"
  expect "turn $number" "$answer" '^HTTP/1.1 200 '
  expect "turn $number" "$answer" "\"turnNumber\":$number,\"input\":\{\"by\":\"Ana\",\"choiceId\":\"[^\"]+\",\"text\":\""
  refuse "no debug unasked" "$answer" '"debug"'
done
turn '{"text":"I hum the \"second\" half."}'
expect "the last turn" "$answer" '"turnNumber":11,"input":\{"by":"Ana","text":"I hum the \\"second\\" half\."\}'
expect "the end" "$answer" '"over":true,"ending":"'
turn '{"text":"More!"}'
expect "after the end" "$answer" '^HTTP/1.1 409 '
expect "after the end" "$answer" '"ok":false,"error":\{"code":"GAME_OVER","message":"[^"]+","details":\{\}\},"meta"'
expect "one story" "$(http GET "/api/games/$story" "")" '"status":"over".*"turnNumber":11'
told=$(http GET "/api/games/$story/turns" "")
[ "$(grep -oE '"turnNumber":[0-9]+,"(input|turn)"' <<<"$told" | wc -l)" = 11 ] || fail "not all turns are listed"
expect "turns after one" "$(http GET "/api/games/$story/turns?after=10" "")" '"turns":\[\{"turnNumber":11,'
expect "all stories" "$(http GET /api/games "")" "\"games\":\[\{\"id\":\"$story\""

# --- Wrong requests ---
begin '{"scenario":"last-tram","player":"Ana"}'
wrong() {  # wrong WHAT METHOD PATH BODY STATUS CODE [PATTERN]
  local got
  got=$(http "$2" "$3" "$4" "${8:-}")
  expect "$1" "$got" "^HTTP/1.1 $5 "
  expect "$1" "$got" "^\{\"ok\":false,\"error\":\{\"code\":\"$6\",\"message\":\".+\",\"details\":\{.*\}\},$meta\}$"
  [ -z "${7:-}" ] || expect "$1" "$got" "$7"
}
wrong "no story" GET /api/games/none "" 404 NOT_FOUND
wrong "no story" GET /api/games/none/turns "" 404 NOT_FOUND
wrong "no story" GET /api/games/none/events "" 404 NOT_FOUND
wrong "no story" POST /api/games/none/turns '{"text":"x"}' 404 NOT_FOUND
wrong "no JSON" POST /api/games '{' 400 INVALID_REQUEST
wrong "no scenario" POST /api/games '{}' 400 INVALID_REQUEST '"issues":\[\{"path":\["scenario"\],"message":"Required"\}\]'
wrong "another scenario" POST /api/games '{"scenario":"mars"}' 400 INVALID_REQUEST "Invalid enum value. Expected 'whispering-woods' \|"
wrong "an unknown key" POST /api/games '{"scenario":"last-tram","color":1}' 400 INVALID_REQUEST "Unrecognized key\(s\) in object: 'color'"
wrong "no such agent" POST /api/games '{"scenario":"last-tram","narrator":{"kind":"robot"}}' 400 INVALID_REQUEST '"path":\["narrator"'
wrong "a file" POST /api/games '{"scenario":"last-tram","narrator":{"kind":"script","file":"/etc/passwd"}}' 400 INVALID_REQUEST '"path":\["narrator","file"\]'
wrong "no input" POST "/api/games/$story/turns" '{}' 400 INVALID_REQUEST 'choiceId or text'
wrong "two inputs" POST "/api/games/$story/turns" '{"text":"x","choiceId":"y"}' 400 INVALID_REQUEST 'choiceId or text'
wrong "an empty text" POST "/api/games/$story/turns" '{"text":""}' 400 INVALID_REQUEST 'at least 1 character'
wrong "a stale choice" POST "/api/games/$story/turns" '{"choiceId":"a1b2c3d4-e5f6-7890-abcd-ef1234567890"}' 409 CHOICE_NOT_ON_OFFER '"choices":\["'
wrong "a wrong number" GET "/api/games/$story/turns?after=x" "" 400 INVALID_REQUEST
wrong "an empty key" POST "/api/games/$story/turns" '{"text":"x"}' 400 INVALID_REQUEST '' 'Idempotency-Key: '

# --- Versions ---
wrong "an unknown version" POST /api/games '{"scenario":"last-tram","schemaVersion":3}' 406 NOT_ACCEPTABLE '"details":\{"supported":\[1,2\]\}'
wrong "an unknown version" POST /api/games '{"scenario":"last-tram"}' 406 NOT_ACCEPTABLE '"supported":\[1,2\]' 'Accept: application/json; schemaVersion=3'
wrong "a stricter version than the story's" POST "/api/games/$story/turns" '{"text":"x","schemaVersion":2}' 406 NOT_ACCEPTABLE '"supported":\[1\]'
wrong "a stricter version than the story's" GET "/api/games/$story" "" 406 NOT_ACCEPTABLE '"supported":\[1\]' 'Accept: application/json; schemaVersion=2'
expect "the first version" "$(http GET "/api/games/$story?schemaVersion=1" "")" '"schemaVersion":1'
begin '{"scenario":"last-tram","schemaVersion":2}'
expect "the second version" "$answer" '"schemaVersion":2'
expect "the second as the first" "$(http GET "/api/games/$story/turns" "" 'Accept: application/json; schemaVersion=1')" '"schemaVersion":1'
begin '{"scenario":"last-tram"}' 'Accept: application/json; schemaVersion=2'
expect "by Accept" "$answer" '"schemaVersion":2'
expect "the schema" "$(http GET /api/schemas/LlmResultV1 "")" '"title":"LlmResultV1"'
wrong "no such schema" GET /api/schemas/LlmResultV9 "" 404 NOT_FOUND

# --- Idempotency ---
begin '{"scenario":"lamp-at-skerry","player":"Ida"}' 'Idempotency-Key: story 1'
first=$answer
begin '{"scenario":"lamp-at-skerry","player":"Ida"}' 'Idempotency-Key: story 1'
[ "$(body "$first")" = "$(body "$answer")" ] || fail "the same key began another story: $first $answer"
expect "a retry" "$answer" '^HTTP/1.1 201 '
expect "a retry" "$answer" '^Idempotent-Replayed: true'
wrong "another body" POST /api/games '{"scenario":"lamp-at-skerry","player":"Eve"}' 422 IDEMPOTENCY_KEY_REUSED '' 'Idempotency-Key: story 1'
turn '{"text":"I go up."}' 'Idempotency-Key: turn 1'
kept=$answer
turn '{"text":"I go down."}' 'Idempotency-Key: turn 2'
expect "the next turn" "$answer" '"turnNumber":3'
turn '{"text":"I go up."}' 'Idempotency-Key: turn 1'
[ "$(body "$kept")" = "$(body "$answer")" ] || fail "a retry got another answer: $kept $answer"
wrong "another turn" POST "/api/games/$story/turns" '{"text":"I go left."}' 422 IDEMPOTENCY_KEY_REUSED '' 'Idempotency-Key: turn 1'
expect "no turn more" "$(http GET "/api/games/$story" "")" '"turnNumber":3'
ida=$story

# --- After a kill in the middle of a turn, the turn never happened, and can be played. ---
begin '{"scenario":"last-tram","player":"Ana","narrator":{"kind":"storyteller","delay_ms":50}}'
expect "a slow narrator" "$answer" '^HTTP/1.1 201 '
ana=$story
turn '{"text":"I stay."}' 'Idempotency-Key: stay'
stay=$answer
begin '{"scenario":"last-tram","player":"Ben","narrator":{"kind":"external"}}'
ben=$story
expect "a narrator from outside" "$answer" '"status":"narrating"'
expect "its token" "$answer" "\"narrator\":\{\"kind\":\"external\",\"token\":\"$ben\.0\."
narrate() {  # narrate STORY TEXT: by hand
  http POST "/api/v1/tables/$1/seats/0/choose" \
    "{\"action\":\"narrate\",\"data\":{\"narrative\":\"$2\",\"emotion\":\"sad\",\"choices\":[{\"id\":\"b2c3d4e5-f6g7-8901-bcde-f12345678901\",\"label\":\"Go\"}],\"npcResponses\":[{\"npcId\":\"npc.pim\",\"response\":\"Hm.\",\"emotion\":\"cautious\"}]}}" >/dev/null
}
asked() {  # asked STORY: whether its narrator is asked
  http GET "/api/games/$1" "" | grep -q '"status":"narrating"'
}
narrate "$ben" "The opening."
waits() {  # waits STORY: whether its player may choose
  http GET "/api/games/$1" "" | grep -q '"status":"waiting"'
}
wait_until "the opening by hand" waits "$ben"
http POST "/api/games/$ben/turns" '{"choiceId":"b2c3d4e5-f6g7-8901-bcde-f12345678901"}' 'Idempotency-Key: go' >"$dir/first" &
wait_until "the turn to begin" asked "$ben"
wrong "a second turn" POST "/api/games/$ben/turns" '{"text":"x"}' 409 TURN_IN_PROGRESS
wrong "another body meanwhile" POST "/api/games/$ben/turns" '{"text":"x"}' 422 IDEMPOTENCY_KEY_REUSED '' 'Idempotency-Key: go'
stop_as plain KILL
start_as plain 127.0.0.1:0 --chimera-listen none
expect "after the kill" "$(http GET "/api/games/$ben" "")" '"status":"waiting",.*"turnNumber":1'
turns=$(http GET "/api/games/$ben/turns" "")
expect "after the kill" "$turns" '"narrative":"The opening\."'
http POST "/api/games/$ben/turns" '{"choiceId":"b2c3d4e5-f6g7-8901-bcde-f12345678901"}' 'Idempotency-Key: go' >"$dir/first" &
first_retry=$!
wait_until "the turn to begin again" asked "$ben"
http POST "/api/games/$ben/turns" '{"choiceId":"b2c3d4e5-f6g7-8901-bcde-f12345678901"}' 'Idempotency-Key: go' >"$dir/second" &
second_retry=$!
narrate "$ben" "It went on."
wait "$first_retry"
wait "$second_retry"
expect "the turn after the kill" "$(cat "$dir/first")" '"turnNumber":2,.*"narrative":"It went on\."'
[ "$(body "$(cat "$dir/first")")" = "$(body "$(cat "$dir/second")")" ] || fail "one key, two answers: $(cat "$dir/first" "$dir/second")"
story=$ana
turn '{"text":"I stay."}' 'Idempotency-Key: stay'
[ "$(body "$stay")" = "$(body "$answer")" ] || fail "after the kill a retry got another answer: $stay $answer"
begin '{"scenario":"lamp-at-skerry","player":"Ida"}' 'Idempotency-Key: story 1'
[ "$(body "$first")" = "$(body "$answer")" ] || fail "after the kill the same key began another story: $first $answer"
[ "$story" = "$ida" ] || fail "another story"

# --- Progress ---
story=$ana
http GET "/api/games/$ana/events" "" 'Last-Event-ID: 1' >"$dir/events" &
listener=$!
has_event() {  # has_event PATTERN
  grep -qE -- "$1" "$dir/events"
}
wait_until "what was missed" has_event '^id: 2'
expect "the stream" "$(cat "$dir/events")" '^Content-Type: text/event-stream'
expect "the current state" "$(cat "$dir/events")" '^data: \{"status":"waiting","turnNumber":2\}'
turn '{"text":"I go on."}'
wait_until "a turn begins" has_event '^event: turn-started'
wait_until "a turn is told" has_event '^id: 3'
expect "its input" "$(cat "$dir/events")" '^data: \{"turnNumber":3,"input":\{"by":"Ana","text":"I go on\."\}\}'
http POST "/api/v1/tables/$ana/control" '{"command":"forfeit","seat":1}' >/dev/null
wait_until "the end" has_event '^event: over'
wait "$listener"

# --- Any agent can narrate, even one that knows only the schema ---
for version in 1 2; do
  begin "{\"scenario\":\"whispering-woods\",\"schemaVersion\":$version,\"turns\":4,\"narrator\":{\"kind\":\"random\",\"seed\":3}}"
  while [ -n "$story" ] && ! grep -q '"over":true' <<<"$answer"; do turn '{"text":"And then?"}'; done
  expect "random narrates" "$answer" '"turnNumber":4'
done
# A listener that comes late is told all turns, a few at a time, and then the end.
begin '{"scenario":"whispering-woods","turns":20,"narrator":{"kind":"random","seed":3}}'
while [ -n "$story" ] && ! grep -q '"over":true' <<<"$answer"; do turn '{"text":"And then?"}'; done
http GET "/api/games/$story/events" "" 'Last-Event-ID: 0' >"$dir/late"
[ "$(sed -n 's/^id: //p' "$dir/late" | tr '\n' ' ')" = "$(seq -s ' ' 20) " ] || fail "a late listener: $(grep -E '^(id|event)' "$dir/late")"
expect "the end, for a late listener" "$(tail -n 8 "$dir/late")" '^event: over'
begin '{"scenario":"whispering-woods","narrator":{"kind":"script","script":[{"action":"narrate","data":{"narrative":"x","emotion":"bored","choices":[]}}]}}'
expect "an agent's nonsense" "$answer" '^HTTP/1.1 422 '
expect "an agent's nonsense" "$answer" '"message":"Response failed schema validation","details":\{"issues":\[\{"path":\["emotion"\],"message":"Invalid enum value'
exits 0 "$openseat" play narrative --seats storyteller,random -n 2 --options '{"turns":6}' --fixed-roles >/dev/null
stop_as plain TERM

# --- Too many ---
printf '[narrative]\nturns_per_minute = 1\nburst = 2\n' >"$dir/limits.toml"
start_as limits 127.0.0.1:0 --chimera-listen none --config "$dir/limits.toml"
token=$(sed -n 's/.*admin token for other machines.*: //p' "$dir/limits.out")
elsewhere="X-Forwarded-For: 203.0.113.9"$'\r\n'"Authorization: Bearer $token"
begin '{"scenario":"last-tram"}' "$elsewhere"
turn '{"text":"On."}' "$elsewhere"
expect "the last turn for a while" "$answer" '^HTTP/1.1 200 '
wrong "too many turns" POST "/api/games/$story/turns" '{"text":"On."}' 429 RATE_LIMITED '^Retry-After: [0-9]+' "$elsewhere"
for _ in 1 2 3 4; do
  turn '{"text":"On."}'
  expect "turns from this machine" "$answer" '^HTTP/1.1 200 '
done
stop_as limits TERM

# --- Each provider tells a story of ten turns, no matter what goes wrong on the way. ---
trouble=valid,fenced,429,valid,quotes,500,timeout,valid,truncated,valid,wrong-schema,valid,refusal,valid,prose,valid
trouble+=,gateway,529,valid,cut,reset,valid
for provider in openai responses gemini anthropic; do
  provide "$trouble"
  configure "$provider"
  start_as "$provider" 127.0.0.1:0 --chimera-listen none --config "$dir/openseat.toml"
  begin '{"scenario":"whispering-woods","player":"Ana","turns":10}'
  expect "$provider narrates by itself" "$answer" '"narrator":\{"kind":"llm"\}'
  for number in 2 3 4 5 6 7 8 9 10; do
    turn '{"text":"I go on."}'
    expect "$provider, turn $number" "$answer" "\"turnNumber\":$number,"
  done
  expect "$provider, the end" "$answer" '"over":true'
  stop_as "$provider" TERM
  retire "$provider"
done

# --- The document's examples, from a model ---
cat >"$dir/valid.json" <<'JSON'
{
  "narrative": "The ancient forest whispers secrets as you step into the Whispering Woods. Mist swirls around your feet, and distant crystal chimes echo through the trees. What do you do?",
  "emotion": "neutral",
  "choices": [
    {
      "id": "a1b2c3d4-e5f6-7890-abcd-ef1234567890",
      "label": "Follow the sound of the chimes",
      "description": "The crystal chimes seem to be calling you deeper into the forest."
    },
    {
      "id": "b2c3d4e5-f6g7-8901-bcde-f12345678901",
      "label": "Examine the mist",
      "description": "The mist appears unnatural, swirling with faint magical energy."
    },
    {
      "id": "c3d4e5f6-g7h8-9012-cdef-123456789012",
      "label": "Call out to see if anyone is nearby",
      "description": "Perhaps someone else is in this forest who can help guide you."
    }
  ],
  "npcResponses": [
    {
      "npcId": "npc.kiera",
      "response": "Stay close. These woods are not what they seem.",
      "emotion": "cautious"
    }
  ],
  "relationshipDeltas": {
    "npc.kiera": 5
  }
}
JSON
echo '{"narrative": "", "emotion": "confused", "choices": [], "extra_field": "value"}' >"$dir/invalid.json"
echo "{ narrative: 'missing quotes'... }" >"$dir/broken.txt"
cat >"$dir/commented.txt" <<'JSON'
{
  "narrative": "",  // ❌ Empty string (min 1 char)
  "emotion": "confused",  // ❌ Not in allowed enum
  "choices": [],  // ❌ No choices provided
  "extra_field": "value"  // ❌ Unknown key
}
JSON
echo '[]' >"$dir/list.json"
{
  printf '%s\n' '```json'
  cat "$dir/valid.json"
  printf '%s\n' '```'
} >"$dir/fenced.txt"
sed "s/distant crystal/$key/" "$dir/valid.json" >"$dir/leak.json"
opening=say:$dir/valid.json
refusing() {  # refusing WHAT STEPS STATUS CODE PATTERN [MORE]: the turn fails like this, and the next succeeds
  provide "$opening,$2,$opening"
  configure openai "${6:-}"
  start_as refusing 127.0.0.1:0 --chimera-listen none --config "$dir/openseat.toml" --log-level debug
  begin '{"scenario":"whispering-woods"}'
  expect "$1: the opening" "$answer" '^HTTP/1.1 201 '
  before=$(body "$(http GET "/api/games/$story" "")" | sed 's/,"meta".*//')
  : >"$dir/events" # drop the events of the previous listener
  http GET "/api/games/$story/events" "" >"$dir/events" &
  listener=$!
  wait_until "$1: the listener" has_event '^event: status'
  turn '{"choiceId":"b2c3d4e5-f6g7-8901-bcde-f12345678901"}' 'Idempotency-Key: k'
  expect "$1" "$answer" "^HTTP/1.1 $3 "
  expect "$1" "$answer" "^\{\"ok\":false,\"error\":\{\"code\":\"$4\",\"message\":\".+\",\"details\":\{.*\}\},$meta\}$"
  expect "$1" "$answer" "$5"
  after=$(body "$(http GET "/api/games/$story" "")" | sed 's/,"meta".*//')
  [ "$before" = "$after" ] || fail "$1 changed the story: $before $after"
  wait_until "$1: the failure is told" has_event '^event: turn-failed'
  expect "$1: the failure is told" "$(cat "$dir/events")" "^data: \{\"turnNumber\":2,\"error\":\{\"code\":\"$4\""
  if [ -z "${6:-}" ]; then
    turn '{"choiceId":"b2c3d4e5-f6g7-8901-bcde-f12345678901"}' 'Idempotency-Key: k'
    expect "$1, tried again" "$answer" '"turnNumber":2,.*"relationships":\{"npc.kiera":10,'
  fi
  stop_as refusing TERM
  wait "$listener"
  refuse "$1: the key" "$(cat "$dir/refusing.log" "$dir/events")$answer" "$key"
  ! grep -raqF -- "$key" "$dir/refusing" || fail "$1: the key is in the data directory"
  rm -rf "$dir/refusing"
  retire "$1"
}
refusing "the invalid example" "say:$dir/invalid.json,say:$dir/invalid.json" 422 VALIDATION_FAILED \
  "\"message\":\"Response failed schema validation\",\"details\":\{\"issues\":\[\{\"path\":\[\"narrative\"\],\"message\":\"String must contain at least 1 character\(s\)\"\},\{\"path\":\[\"emotion\"\],\"message\":\"Invalid enum value\. Expected 'neutral' \| 'happy' \| 'sad' \| 'angry' \| 'fearful' \| 'surprised' \| 'excited', received 'confused'\"\},\{\"path\":\[\"choices\"\],\"message\":\"Array must contain at least 1 element\(s\)\"\},\{\"path\":\[\],\"message\":\"Unrecognized key\(s\) in object: 'extra_field'\"\}\]\}"
refusing "the invalid example with its comments" "say:$dir/commented.txt,say:$dir/commented.txt" 422 VALIDATION_FAILED \
  "\"message\":\"Response failed schema validation\",\"details\":\{\"issues\":\[\{\"path\":\[\"narrative\"\],.*\"path\":\[\"emotion\"\],.*\"path\":\[\"choices\"\],.*Unrecognized key\(s\) in object: 'extra_field'\"\}\],\"raw\""
refusing "the example of invalid JSON" "say:$dir/broken.txt,say:$dir/broken.txt" 422 VALIDATION_FAILED \
  "\"message\":\"Invalid JSON response from model\",\"details\":\{\"raw\":\"\{ narrative: 'missing quotes'\.\.\. \}.{0,2}\",\"parseError\":\"Unexpected token 'n'"
refusing "a list" "say:$dir/list.json,say:$dir/list.json" 422 VALIDATION_FAILED \
  '"message":"Response failed schema validation","details":\{"issues":\[\{"path":\[\],"message":"Expected object, received array"\}\]\}'
refusing "prose" prose,prose 422 VALIDATION_FAILED \
  '"message":"Invalid JSON response from model","details":\{"raw":"I would rather talk about the weather\.","parseError":"Unexpected token '
refusing "a refusal" refusal,refusal 422 VALIDATION_FAILED '"message":"Invalid JSON response from model"'
refusing "a wrong key" 401 502 PROVIDER_ERROR '"message":"[^"]*\[redacted\][^"]*","details":\{"status":401\}'
refusing "a provider that is down" 500 502 PROVIDER_ERROR '"details":\{"status":500\}' 'retries = 0'
refusing "a provider that is slow" timeout 504 PROVIDER_TIMEOUT '"ok":false' 'retries = 0'
refusing "a provider with too many callers" 429 429 PROVIDER_RATE_LIMITED '"details":\{"status":429\}' 'retries = 0'
refusing "a budget" "" 429 BUDGET_EXHAUSTED 'cap of' 'table_tokens = 7000'

# A fenced answer is repaired; debug information is sent only on request, and contains no key.
provide "$opening,say:$dir/fenced.txt,say:$dir/broken.txt,say:$dir/fenced.txt,say:$dir/leak.json,leak,$opening"
configure anthropic
start_as debug 127.0.0.1:0 --chimera-listen none --config "$dir/openseat.toml" --log-level debug
begin '{"scenario":"whispering-woods","debug":true}'
expect "debug of the opening" "$answer" '"debug":\{"promptState":\{.*\},"promptText":"You tell .*","aiResponseRaw":".*","processingTime":[0-9.]+,"tokenCount":[0-9]+\}'
turn '{"text":"I look."}'
expect "a fence" "$answer" '"turnNumber":2'
refuse "no debug unasked" "$answer" '"debug"'
turn '{"text":"I look again."}'
expect "one re-ask" "$answer" '"turnNumber":3'
turn '{"text":"I look once more."}' '' '?debug=true'
expect "a key in an answer" "$answer" 'around your feet, and \[redacted\] chimes'
expect "its debug" "$answer" '"aiResponseRaw":"[^}]*\[redacted\]'
turn '{"text":"And again.","debug":true}'
expect "a leak in an error" "$answer" '"turnNumber":5'
expect "debug of all turns" "$(http GET "/api/games/$story/turns?debug=true" "")" '"debug":.*"debug":.*"debug":.*"debug":.*"debug":'
http GET "/api/games/$story/turns?debug=true" "" >"$dir/all"
http GET "/api/v1/tables/$story/transcript?viewer=all" "" >>"$dir/all"
stop_as debug TERM
refuse "keys" "$(cat "$dir/all" "$dir/debug.log" "$dir/debug.out")$answer" "$key"
! grep -raqF -- "$key" "$dir/debug" || fail "the key is in the data directory"
retire "debug"
echo "everything as expected"
