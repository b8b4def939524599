#!/usr/bin/env bash
# Language models at the table: the real program against a stand-in for the providers, which checks every request against
# the provider's documentation. Nothing waits for time to pass.
# usage: models.sh OPENSEAT MODEL_STAND_IN
set -euo pipefail

stand_in=$2
# shellcheck source=tests/e2e/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
key=sk-test-4f5e6d7c8b9a0
export OPENAI_API_KEY=$key GEMINI_API_KEY=$key ANTHROPIC_API_KEY=$key
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY

provide() {  # provide STEPS [--mix ONE_IN]: starts a stand-in; sets models (its port)
  coproc STAND_IN { exec "$stand_in" "$key" "$@"; }
  read -r models <&"${STAND_IN[0]}"
}
report() {  # the requests that the stand-in got
  exec 3<>"/dev/tcp/127.0.0.1/$models"
  printf 'GET /report HTTP/1.1\r\nHost: x\r\n\r\n' >&3
  sed -n '$p' <&3
  exec 3>&-
}
retire() {  # stops the stand-in, and checks that every request was correct
  local seen pid=$STAND_IN_PID
  seen=$(report)
  expect "the requests of $1" "$seen" '"faults":\[\]'
  eval "exec ${STAND_IN[1]}>&-"
  wait "$pid"
}
configure() {  # configure PROVIDER [MORE [MODEL]]: writes the config file
  cat >"$dir/openseat.toml" <<TOML
[models.it]
provider = "$1"
base_url = "http://127.0.0.1:$models/$1"
model = "${3:-some-model}"
timeout = 0.3
total_timeout = 0.6
backoff = 0.001
input_price = 1.0
output_price = 2.0
${2:-}
TOML
}

# Each provider plays, no matter what goes wrong on the way: nothing is forfeited, and every problem is counted.
trouble=valid,thoughts,think-tag,fenced,429,429-reset,valid,quotes,500,503,408,valid,timeout,valid,stall,truncated,valid
trouble+=,thought-too-long,valid,wrong-schema,valid,refusal,valid,prose,valid,trickle,valid,gateway,529,valid,cut,reset,valid
trouble+=,reset-in-stream,error-in-200,valid,broken-stream,overload-in-stream,valid,filter,valid
providers="openai responses gemini anthropic"
for provider in $providers; do
  provide "$trouble"
  configure "$provider"
  played=$(exits 0 "$openseat" play tictactoe --config "$dir/openseat.toml" --seats llm:it,random -n 20 --seed 3 --json 2>"$dir/log")
  expect "$provider plays" "$(tail -1 <<<"$played")" '"games":20'
  refuse "$provider plays" "$(tail -1 <<<"$played")" '"forfeits":[1-9]'
  expect "$provider plays" "$(tail -1 <<<"$played")" '"given_up":0'
  expect "$provider fails" "$(tail -1 <<<"$played")" '"failures":[1-9]'
  expect "$provider is asked again" "$(tail -1 <<<"$played")" '"reasked":[1-9]'
  expect "$provider is repaired" "$(tail -1 <<<"$played")" '"mended":2[^0-9]'
  expect "$provider is illegal" "$(tail -1 <<<"$played")" '"illegal":1[^0-9]'
  seen=$(report)
  for step in ${trouble//,/ }; do
    expect "$provider" "$seen" "\"$step\":[1-9]"
  done
  retire "$provider"
  # A free form of answer, another game, and no stream.
  provide "valid,fenced,429,thoughts,cut,wrong-schema,broken-stream"
  configure "$provider" "stream = false"
  played=$(exits 0 "$openseat" play connectm --config "$dir/openseat.toml" --seats llm:it,random -n 2 --seed 3 --json 2>"$dir/log")
  expect "$provider without a stream" "$(tail -1 <<<"$played")" '"given_up":0'
  retire "$provider without a stream"
  for reasoning in native field free none; do
    provide "valid,fenced,think-tag"
    configure "$provider" "reasoning = \"$reasoning\""
    played=$(exits 0 "$openseat" play tictactoe --config "$dir/openseat.toml" --seats llm:it,random -n 2 --json 2>"$dir/log")
    expect "$provider, reasoning $reasoning" "$(tail -1 <<<"$played")" '"given_up":0'
    expect "$provider, reasoning $reasoning" "$(tail -1 <<<"$played")" '"illegal":0'
    retire "$provider, reasoning $reasoning"
  done
done

# Models of every generation: what one refuses is left out from then on, for all games of the process.
more="temperature = 0.5
structured = \"tool\"
max_tokens = 20000"
for generation in flagship legacy small; do
  for provider in $providers; do
    provide ""
    configure "$provider" "$more" "$generation-1"
    played=$(exits 0 "$openseat" play tictactoe --config "$dir/openseat.toml" --seats llm:it,random -n 3 --json 2>"$dir/log")
    expect "$generation at $provider" "$(tail -1 <<<"$played")" '"given_up":0'
    refuse "$generation at $provider" "$(report)" '"refused":([6-9]|[0-9]{2})'
    retire "$generation at $provider"
  done
done
provide ""
configure anthropic "thinking_tokens = 2000
effort = \"low\"" flagship-2
played=$(exits 0 "$openseat" play tictactoe --config "$dir/openseat.toml" --seats llm:it,random -n 1 --json 2>"$dir/log")
expect "a budget of thoughts" "$(tail -1 <<<"$played")" '"given_up":0'
expect "a budget of thoughts" "$played" 'asking without a thinking budget from now on'
expect "a budget of thoughts" "$(report)" '"refused":1'
retire "a budget of thoughts"

# One call in ten fails in some way, and all games count.
for provider in $providers; do
  provide "" --mix 10
  configure "$provider"
  played=$(exits 0 "$openseat" play tictactoe --config "$dir/openseat.toml" --seats llm:it,random -n 100 --jobs 2 --json 2>"$dir/log")
  expect "$provider with failures" "$(tail -1 <<<"$played")" '"games":100'
  refuse "$provider with failures" "$(tail -1 <<<"$played")" '"forfeits":[1-9]'
  expect "$provider with failures" "$(tail -1 <<<"$played")" '"given_up":0'
  expect "$provider with failures" "$(report)" '"overload-in-stream":[1-9]'
  retire "$provider with failures"
done

# The figures for people.
provide "valid,wrong-schema"
configure openai
played=$(exits 0 "$openseat" play tictactoe --config "$dir/openseat.toml" --seats llm:it,random -n 3)
for line in 'llm:it ' 'model it \(some-model at openai\)' 'illegal moves  [0-9.]+ %' 'repairs        [0-9.]+ %' \
  'tokens         [0-9]+ in, [0-9]+ out' 'cost           [$]0\.[0-9]+' 'latency        p50 [0-9]+ ms, p90 [0-9]+ ms, p99 [0-9]+ ms'; do
  expect "the figures" "$played" "$line"
done
retire "the figures"

# The sample with prices can be read.
exits 0 "$openseat" play tictactoe --config "$(dirname "${BASH_SOURCE[0]}")/../../examples/models.toml" --seats random,random >/dev/null

# By flag, without a config file; schemas turned off.
provide ""
played=$(exits 0 "$openseat" play rps --model "flag=openai:m:7b@http://127.0.0.1:$models/openai,effort=low,max_tokens=900" --seats llm:flag,llm:flag -n 2 --json)
expect "a model by flag" "$played" '"agent":"llm:flag"'
retire "a model by flag"
for structured in object none; do
  for provider in $providers; do
    provide "fenced"
    configure "$provider" "structured = \"$structured\""
    played=$(exits 0 "$openseat" play chicken --config "$dir/openseat.toml" --seats llm:it,random --json)
    expect "$provider, structured $structured" "$played" '"given_up":0'
    retire "$provider, structured $structured"
  done
done

# Hopeless cases are given up, with the reason. Only what the model itself did wrong is a lost game.
hopeless() {  # hopeless STEPS MORE PATTERN [forfeits|void] [GAME]
  provide "$1"
  configure openai "$2"
  played=$("$openseat" play "${5:-tictactoe}" --config "$dir/openseat.toml" --seats llm:it,random --json 2>"$dir/log") || true
  expect "hopeless: $1 $2" "$played" "\"${4:-void}\":1"
  expect "hopeless: $1 $2" "$(cat "$dir/log")" "$3"
  refuse "hopeless: $1 $2" "$(cat "$dir/log")" "$key"
  retire "hopeless: $1"
}
hopeless 401 "" 'answered 401: the key \[redacted\] is not known'
hopeless redirect "" 'a redirect, which is not followed'
hopeless prose,prose "" 'no valid answer, also when asked again: Unexpected token' forfeits
hopeless wrong-schema,wrong-schema "" 'no valid answer, also when asked again: .*"choice"' forfeits
hopeless 500,500 "retries = 1" 'answered 500: it broke'
hopeless quota "" 'answered 429: you have no money left'
hopeless 404 "" 'answered 404: there is no such model'
hopeless too-long "" 'prompt is too long'
hopeless refusal,refusal "" 'the model declined to answer: I cannot help with that' forfeits
hopeless cut,cut,cut "" 'the answer did not fit into 16384 tokens' forfeits
hopeless "" "table_tokens = 300" 'the cap of 300 tokens for this table is reached'
hopeless "" "table_cost = 0.001" 'the cap of [$]0.001 for this table is reached'
hopeless "" "context_tokens = 256" 'the question alone has about [0-9]+ tokens' void connectm

# On a server: a game elsewhere, and a hosted match. Keys appear nowhere, whatever the provider answers.
provide "leak,echo,valid,fenced,wrong-schema"
configure anthropic
start_as at 127.0.0.1:0 --chimera-listen none --config "$dir/openseat.toml" \
  --agent llm:it --match connectm:llm:it,random --log-level debug
exits 0 "$openseat" demo tictactoe --url "ws://127.0.0.1:$port" --games 3 --pace 0 --quiet >/dev/null
# The hosted match may still be in progress; its replay tells when it is over.
match=$("$openseat" replay --data-dir "$dir/at" --json | grep '"game":"connectm"' | cut -d'"' -f4)
tries=0
until "$openseat" replay "$match" --data-dir "$dir/at" --json | grep -q '"event":"end"'; do
  tries=$((tries + 1))
  [ "$tries" -lt 400 ] || fail "the match does not end"
  sleep 0.05
done
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET /api/v1/tables HTTP/1.1\r\nHost: 127.0.0.1:%s\r\nConnection: close\r\n\r\n' "$port" >&3
tables=$(cat <&3)
exec 3>&-
refuse "the console" "$tables" "$key"
figures=$(http GET /metrics)
figure() {  # figure SAMPLE: its value
  grep -F "openseat_model_$1 " <<<"$figures" | cut -d' ' -f2 | tr -d '\r'
}
expect "the calls" "$(figure 'calls_total{model="it",outcome="answered"}')" '^[1-9][0-9]*$'
expect "the failed calls" "$(figure 'calls_total{model="it",outcome="failed"}')" '^[1-9][0-9]*$'
# At the prices of the config file, a dollar and two for a million.
awk -v sent="$(figure 'tokens_total{direction="in",model="it"}')" -v got="$(figure 'tokens_total{direction="out",model="it"}')" \
  -v cost="$(figure 'cost_dollars_total{model="it"}')" \
  'BEGIN { due = sent / 1e6 + 2 * got / 1e6; exit !(sent > 0 && got > 0 && cost > 0.999 * due && cost < 1.001 * due) }' ||
  fail "the cost is not that of the tokens: $(grep openseat_model_ <<<"$figures")"
stop_as at TERM
expect "a leak" "$(cat "$dir/at.log")" 'answered 503: cannot serve the key \[redacted\] now'
for table in $("$openseat" replay --data-dir "$dir/at" --json | grep -oE '"id":"[^"]+"' | cut -d'"' -f4); do
  "$openseat" replay "$table" --data-dir "$dir/at" --as all --json
  "$openseat" replay "$table" --data-dir "$dir/at" --as all --max-text 0
done >"$dir/all"
expect "the transcript" "$(cat "$dir/all")" '"step":"answer"'
expect "the transcript" "$(cat "$dir/all")" '"step":"failure"'
expect "the transcript" "$(cat "$dir/all")" 'My key is \[redacted\]'
expect "the transcript" "$(cat "$dir/all")" '"tokens_in":[0-9]+.*"tokens_out":[0-9]+.*"ms":'
refuse "keys" "$(cat "$dir/all" "$dir/at.log" "$dir/at.out")" "$key"
! grep -raqF -- "$key" "$dir/at" || fail "the key is in the data directory"
retire "the server"

# Wrong usage is reported, without the key.
expect "no such model" "$(exits 2 "$openseat" play tictactoe --seats llm:none,random)" 'there is no model "none"; none is configured'
expect "no provider" "$(exits 2 "$openseat" serve --model a=robot:m --data-dir "$dir/at")" 'openai .*, responses, gemini or anthropic'
expect "no form" "$(exits 2 "$openseat" serve --model robot --data-dir "$dir/at")" 'NAME=PROVIDER:MODEL@URL'
printf '[models.a]\nmodel = "m"\napi_key = "%s"\nspeed = 3\n' "$key" >"$dir/bad.toml"
said=$(exits 2 "$openseat" serve --config "$dir/bad.toml" --data-dir "$dir/at")
expect "an unknown option" "$said" 'no option "speed"'
refuse "an unknown option" "$said" "$key"
echo "everything as expected"
