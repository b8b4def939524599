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

provide() {  # provide STEPS: starts a stand-in; sets models (its port)
  coproc STAND_IN { exec "$stand_in" "$key" "$1"; }
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
configure() {  # configure PROVIDER [MORE]: writes the config file
  cat >"$dir/openseat.toml" <<TOML
[models.it]
provider = "$1"
base_url = "http://127.0.0.1:$models/$1"
model = "some-model"
timeout = 0.3
backoff = 0.001
input_price = 1.0
output_price = 2.0
${2:-}
TOML
}

# Each provider plays, no matter what goes wrong on the way: nothing is forfeited, and every problem is counted.
trouble=valid,fenced,429,valid,quotes,500,timeout,valid,truncated,valid,wrong-schema,valid,refusal,valid,prose,valid,trickle
trouble+=,gateway,529,valid,cut,reset,valid
for provider in openai gemini anthropic; do
  for game in tictactoe connectm; do
    provide "$trouble"
    configure "$provider"
    played=$(exits 0 "$openseat" play "$game" --config "$dir/openseat.toml" --seats llm:it,random -n 6 --seed 3 --json 2>"$dir/log")
    expect "$provider plays $game" "$(tail -1 <<<"$played")" '"games":6'
    refuse "$provider plays $game" "$(tail -1 <<<"$played")" '"forfeits":[1-9]'
    expect "$provider plays $game" "$(tail -1 <<<"$played")" '"given_up":0'
    expect "$provider fails" "$(tail -1 <<<"$played")" '"failures":[1-9]'
    expect "$provider is asked again" "$(tail -1 <<<"$played")" '"reasked":[1-9]'
    expect "$provider is repaired" "$(tail -1 <<<"$played")" '"mended":[1-9]'
    seen=$(report)
    for step in fenced 429 quotes 500 timeout truncated wrong-schema refusal prose trickle gateway 529 cut reset; do
      expect "$provider, $game" "$seen" "\"$step\":1"
    done
    retire "$provider, $game"
  done
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

# By flag, without a config file; schemas turned off.
provide ""
played=$(exits 0 "$openseat" play rps --model "flag=openai:m:7b@http://127.0.0.1:$models/openai" --seats llm:flag,llm:flag -n 2 --json)
expect "a model by flag" "$played" '"agent":"llm:flag"'
retire "a model by flag"
for structured in object none; do
  for provider in openai gemini anthropic; do
    provide "fenced"
    configure "$provider" "structured = \"$structured\""
    played=$(exits 0 "$openseat" play chicken --config "$dir/openseat.toml" --seats llm:it,random --json)
    expect "$provider, structured $structured" "$played" '"given_up":0'
    retire "$provider, structured $structured"
  done
done

# Hopeless cases are given up, with the reason. Only what the model itself did wrong is a lost game.
hopeless() {  # hopeless STEPS MORE PATTERN [forfeits]
  provide "$1"
  configure openai "$2"
  played=$("$openseat" play tictactoe --config "$dir/openseat.toml" --seats llm:it,random --json 2>"$dir/log") || true
  expect "hopeless: $1 $2" "$played" "\"${4:-void}\":1"
  expect "hopeless: $1 $2" "$(cat "$dir/log")" "$3"
  refuse "hopeless: $1 $2" "$(cat "$dir/log")" "$key"
  retire "hopeless: $1"
}
hopeless 401 "" 'answered 401: the key \[redacted\] is not known'
hopeless redirect "" 'a redirect, which is not followed'
hopeless prose,prose "" 'no valid answer, also when asked again: Unexpected token' forfeits
hopeless wrong-schema,wrong-schema "" 'no valid answer, also when asked again: .*position' forfeits
hopeless 500,500 "retries = 1" 'answered 500: it broke'
hopeless "" "table_tokens = 300" 'the cap of 300 tokens for this table is reached'
hopeless "" "table_cost = 0.001" 'the cap of [$]0.001 for this table is reached'
hopeless "" "context_tokens = 256" 'the question alone has about [0-9]+ tokens'

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
expect "no provider" "$(exits 2 "$openseat" serve --model a=robot:m --data-dir "$dir/at")" 'openai .*, gemini or anthropic'
expect "no form" "$(exits 2 "$openseat" serve --model robot --data-dir "$dir/at")" 'NAME=PROVIDER:MODEL@URL'
printf '[models.a]\nmodel = "m"\napi_key = "%s"\nspeed = 3\n' "$key" >"$dir/bad.toml"
said=$(exits 2 "$openseat" serve --config "$dir/bad.toml" --data-dir "$dir/at")
expect "an unknown option" "$said" 'no option "speed"'
refuse "an unknown option" "$said" "$key"
echo "everything as expected"
