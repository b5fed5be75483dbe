#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs one test, program or script, for prove(1).
case $1 in
*.sh) exec sh "$@" ;;
*) exec "$@" ;;
esac
