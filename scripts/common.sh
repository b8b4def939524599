# Sourced by ./dev and by .ci/run: messages, and how many jobs to run. The caller stands in the root of the checkout.
# shellcheck shell=bash

if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
  bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
else
  bold='' red='' green='' plain=''
fi

# say SENTENCE…: what happens now.
say() { printf '%s==> %s%s\n' "$bold" "$*" "$plain"; }
# stage SENTENCE…: the same, of something that takes long; show_stages says how long each took.
STAGES=() STAGE='' STAGE_BEGUN=0
stage() {
  end_stage
  STAGE=$* STAGE_BEGUN=$SECONDS
  say "$@"
}
end_stage() {
  [[ -z $STAGE ]] || STAGES+=("$(printf '%5d s  %s' $((SECONDS - STAGE_BEGUN)) "$STAGE")")
  STAGE=''
}
show_stages() {
  end_stage
  ((SECONDS >= 5 && ${#STAGES[@]})) || return 0
  echo
  printf '%s\n' "${STAGES[@]}" "$(printf '%5d s  in all' "$SECONDS")"
}
# good SENTENCE…: something ended well.
good() { printf '%s==> %s%s\n' "$green" "$*" "$plain"; }
# warn SENTENCE…: something is not as it should be, and we go on.
warn() { printf '%s==> %s%s\n' "$red" "$*" "$plain" >&2; }
# die SENTENCE…: we cannot go on.
die() {
  warn "$@"
  exit 1
}
# wrong_usage SENTENCE…
wrong_usage() {
  warn "$@"
  exit 2
}

# Two jobs at most: a compiler of templates takes up to a gigabyte each. OPENSEAT_JOBS says otherwise.
jobs_default() {
  local cores
  cores=$(nproc 2>/dev/null || echo 1)
  echo $((cores < 2 ? cores : 2))
}
JOBS=${OPENSEAT_JOBS:-$(jobs_default)}
[[ $JOBS =~ ^[1-9][0-9]*$ ]] || wrong_usage "OPENSEAT_JOBS is the number of jobs to run at once; got '$JOBS'"
