#!/usr/bin/env bash
# Checks that the committed description is what the program prints.
# usage: compare.sh OPENSEAT FILE
set -euo pipefail
if ! diff -u "$2" <("$1" openapi) | head -60; then
  echo "The REST API has changed: build/openseat openapi > web/openapi.json"
  exit 1
fi
