#!/usr/bin/env bash
# Starts a Spark cluster on this machine, a master and two workers (or as many as WORKERS says), asks the questions, and
# stops it. With `kill`, one worker is killed while they are answered: the answers stay the same.
#
#   cluster.sh PYTHON TABLES ANSWERS.json [kill]
set -euo pipefail
python="$1" tables="$2" answers="$3" kill="${4:-}"
home="$("$python" -c 'import pathlib, pyspark; print(pathlib.Path(pyspark.__file__).parent)')"
work="$(mktemp -d)"
export SPARK_MASTER=spark://127.0.0.1:17077 SPARK_LOCAL_IP=127.0.0.1 SPARK_NO_DAEMONIZE=1 PYSPARK_PYTHON="$python"
trap 'kill $(jobs -p) 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT

daemon() {
    "$home/bin/spark-class" "org.apache.spark.deploy.$1" --host 127.0.0.1 "${@:2}" >"$work/${1##*.}-$RANDOM.log" 2>&1 &
}
daemon master.Master --port 17077 --webui-port 0
for _ in $(seq 100); do (: </dev/tcp/127.0.0.1/17077) 2>/dev/null && break; sleep 0.1; done
for _ in $(seq "${WORKERS:-2}"); do
    daemon worker.Worker --cores 1 --memory 1g --webui-port 0 --work-dir "$work" "$SPARK_MASTER"
done
worker=$!
if [ "$kill" = kill ]; then
    (
        # It has begun to work once its executor has a folder.
        until compgen -G "$work/app-*" >/dev/null; do sleep 0.1; done
        sleep 4
        kill -9 "$worker"
    ) &
fi
"$python" "$(dirname "$0")/ask.py" spark "$tables" >"$answers"
if [ "$kill" = kill ] && kill -0 "$worker" 2>/dev/null; then
    echo "no worker was killed" >&2
    exit 1
fi
