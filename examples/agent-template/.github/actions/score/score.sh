#!/usr/bin/env bash
# Runs the agent $AGENT on a simulated benchmark and writes its scores into the folder scores.
# SEED, SMALL (true or false), LEAST_F1 (percent) and PASS_ENV (names) may be set.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tasks=$work/world/task_info.json
size=()
if [ "${SMALL:-false}" = true ]; then size=(--small); fi
keys=()
for name in ${PASS_ENV:-}; do keys+=(--pass-env "$name"); done

genotex simulate "$work/world" --world --seed "${SEED:-1}" "${size[@]}"
genotex bench run "$work/world" "$work/run" --task-info "$tasks" --command "$AGENT" "${keys[@]}" \
    -j "$(getconf _NPROCESSORS_ONLN)"
genotex evaluate -p "$work/run" -r "$work/world-answers" --task-info "$tasks" -t analysis -o scores

f1=$(python3 -c 'import json; print(json.load(open("scores/scores.json"))["average"]["analysis"]["f1"])')
cat scores/scores.md >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
echo "f1=$f1" >> "${GITHUB_OUTPUT:-/dev/stdout}"
python3 -c 'import sys; sys.exit(float(sys.argv[1]) < float(sys.argv[2]))' "$f1" "${LEAST_F1:-0}" || {
    echo "F1 $f1 is below ${LEAST_F1:-0}" >&2
    exit 1
}
