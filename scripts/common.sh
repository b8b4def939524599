# Sourced by ./dev and by .ci/run: messages, and how many jobs to run. The caller is in the root of the checkout.
# shellcheck shell=bash

if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
  bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
else
  bold='' red='' green='' plain=''
fi

# say SENTENCE…: announces what happens now.
say() { printf '%s==> %s%s\n' "$bold" "$*" "$plain"; }
# stage SENTENCE…: the same for something slow; show_stages says how long each took.
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
# good SENTENCE…: reports success.
good() { printf '%s==> %s%s\n' "$green" "$*" "$plain"; }
# warn SENTENCE…: reports a problem and continues.
warn() { printf '%s==> %s%s\n' "$red" "$*" "$plain" >&2; }
# die SENTENCE…: reports an error and exits.
die() {
  warn "$@"
  exit 1
}
# wrong_usage SENTENCE…
wrong_usage() {
  warn "$@"
  exit 2
}

# At most two jobs: compiling templates takes up to a gigabyte each. OPENSEAT_JOBS overrides this.
jobs_default() {
  local cores
  cores=$(nproc 2>/dev/null || echo 1)
  echo $((cores < 2 ? cores : 2))
}
JOBS=${OPENSEAT_JOBS:-$(jobs_default)}
[[ $JOBS =~ ^[1-9][0-9]*$ ]] || wrong_usage "OPENSEAT_JOBS is the number of jobs to run at once; got '$JOBS'"
