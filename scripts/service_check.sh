#!/usr/bin/env bash
# Runs in the container that `./dev package --check deb` boots: the service under systemd itself. It starts and says so, reloads,
# is restarted after a kill and after it hangs, and stops cleanly. Creates /root/passed.
set -euxo pipefail

pid() { systemctl show openseat -p MainPID --value; }
serves() {
  for _ in $(seq 100); do
    curl -sf http://127.0.0.1:8000/healthz && return
    sleep 0.1
  done
  return 1
}
# restarted TIMES: the watchdog may take a minute.
restarted() {
  for _ in $(seq 900); do
    [[ $(systemctl show openseat -p NRestarts --value) -lt $1 ]] || { serves && return; }
    sleep 0.1
  done
  return 1
}

systemctl start openseat
serves
systemctl reload openseat
kill -KILL "$(pid)"
restarted 1
kill -STOP "$(pid)"
restarted 2
systemctl stop openseat
[[ $(systemctl show openseat -p Result --value) == success ]]
touch /root/passed
