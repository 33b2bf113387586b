#!/usr/bin/env bash
#SBATCH --job-name=wirelab
#SBATCH --array=1-4
#SBATCH --exclusive
#SBATCH --output=wirelab-%A-%a.log
#
# The plan in as many shards as the array has tasks, each on a node of its own:
#
#     sbatch --constraint=NODES_OF_ONE_KIND images/slurm.sh ./shared --profile published
#
# The first argument is a folder that all nodes share; the others go to `lab bench`. The runs lie in its runs/JOB-TASK;
# `lab merge` puts them together, and refuses them where the nodes were of several kinds after all. A shard that was lost
# is measured again, as part of the same plan, by the job's number and size:
#
#     SEED=JOB SHARDS=4 sbatch --array=3 --constraint=… images/slurm.sh ./shared --profile published
set -euo pipefail

: "${SLURM_ARRAY_JOB_ID:?start this with sbatch: it is a job array}"
if (($# < 1)); then
    echo "slurm.sh: give the folder that all nodes share, such as: sbatch images/slurm.sh ./shared" >&2
    exit 2
fi
shared=$(realpath "$1")
shift
seed=${SEED:-$SLURM_ARRAY_JOB_ID}

exec podman run --rm --network none --read-only --tmpfs /tmp --cpuset-cpus 0-1 --memory 6g \
    --userns keep-id --volume "$shared:/lab" "${IMAGE:-wirelab:nix}" \
    bench --shard "$SLURM_ARRAY_TASK_ID/${SHARDS:-$SLURM_ARRAY_TASK_COUNT}" --seed "$seed" \
    --out "/lab/runs/$seed-$SLURM_ARRAY_TASK_ID" "$@"
