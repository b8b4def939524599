# Sourced by ./dev: a cluster on this machine.
# shellcheck shell=bash

# The NATS servers listen on these ports, and on those 2000 higher for each other.
NATS_PORTS=(4301 4302 4303)
FIRST_NODE_PORT=8001
FRONT_PORT=8000

nats_config() { # nats_config FOLDER INDEX
  local port routes=()
  for port in "${NATS_PORTS[@]}"; do routes+=("\"nats://127.0.0.1:$((port + 2000))\""); done
  port=${NATS_PORTS[$2]}
  printf 'server_name: nats-%d\nlisten: "127.0.0.1:%d"\njetstream { store_dir: "%s" }\n' "$2" "$port" "$1/nats-$2"
  printf 'cluster { name: openseat, listen: "127.0.0.1:%d", routes: [%s] }\n' "$((port + 2000))" "$(IFS=,; echo "${routes[*]}")"
}

# cluster NODES [OPTION…]
cluster() {
  local nodes=$1 folder=build/cluster servers="" started=() ports=() i
  shift
  ((nodes >= 1 && nodes <= 16)) || wrong_usage "./dev cluster takes 1 to 16 nodes; got $nodes"
  rm -rf "$folder"
  mkdir -p "$folder"
  folder=$(realpath "$folder")
  for i in "${!NATS_PORTS[@]}"; do
    nats_config "$folder" "$i" >"$folder/nats-$i.conf"
    nats-server -c "$folder/nats-$i.conf" >"$folder/nats-$i.log" 2>&1 &
    started+=($!)
    servers+=${servers:+,}nats://127.0.0.1:${NATS_PORTS[$i]}
  done
  # Whatever started ends with this.
  trap 'kill "${started[@]}" 2>/dev/null || true; wait' EXIT
  echo
  for ((i = 1; i <= nodes; ++i)); do
    build/openseat serve --cluster "$servers" --node "node-$i" --listen "127.0.0.1:$((FIRST_NODE_PORT + i - 1))" \
      --chimera-listen none --data-dir "$folder/node-$i" "$@" >"$folder/node-$i.out" 2>"$folder/node-$i.log" &
    started+=($!)
    ports+=($((FIRST_NODE_PORT + i - 1)))
    echo "  node-$i    http://127.0.0.1:$((FIRST_NODE_PORT + i - 1))    process $!"
  done
  node scripts/front.mjs "$FRONT_PORT" "${ports[@]}" &
  started+=($!)
  cat <<END
  front     http://127.0.0.1:$FRONT_PORT    at one of those that live

Their output and logs are in $folder. Try: make a match at one node, play it at another one, kill -9 the process that has it
(the logs say who takes what), and play on. Ctrl-C stops everything.
END
  wait
}
