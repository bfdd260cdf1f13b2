#!/usr/bin/env bash
# A Slurm cluster on this machine: a controller and two nodes, which are processes with a configuration and state of their own.
#
# usage: tests/slurm/cluster.sh DIR up|down|controller|node N
#
# `controller` and `node` start one of them again that was killed. It needs Debian's slurmctld, slurmd, slurm-client and munge, and root.
set -euo pipefail

dir=$(realpath -m "$1")
export SLURM_CONF="$dir/slurm.conf"

controller() { slurmctld -f "$SLURM_CONF"; }
node() { slurmd -N "n$1" -f "$SLURM_CONF"; }

configure() {
    local host port
    host=$(hostname -s)
    # Several clusters may be on one machine.
    port=$((20000 + $$ % 10000))
    mkdir -p "$dir"/{state,spool-n1,spool-n2,log}
    chmod 755 "$dir"
    (umask 077 && head -c 1024 /dev/urandom >"$dir/munge.key")
    cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket,cred_expire=10
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/log/slurmctld
SlurmdLogFile=$dir/log/slurmd-%n
SlurmctldPort=$port
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout=30
MaxArraySize=6
SchedulerParameters=sched_interval=1,batch_sched_delay=0
KillWait=5
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=n[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 2))] CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP PriorityTier=1
PartitionName=urgent Nodes=ALL MaxTime=INFINITE State=UP PriorityTier=10
END
}

# Nodes are unknown to the controller until their daemons have registered.
await_nodes() {
    local _
    for _ in $(seq 120); do
        if [ "$(sinfo --noheader --Node --partition=all --states=idle --format=%N | sort -u | wc -l)" -eq 2 ]; then
            return
        fi
        sleep 0.5
    done
    echo "the nodes of the cluster are not idle:" >&2
    sinfo --Node >&2
    tail -n 20 "$dir"/log/slurm* >&2
    return 1
}

case "$2" in
up)
    configure
    munged --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munged.pid" \
        --log-file="$dir/log/munged" --seed-file="$dir/munge.seed"
    controller
    node 1
    node 2
    await_nodes
    ;;
controller) controller ;;
node) node "$3" ;;
down)
    for name in slurmd-n1 slurmd-n2 slurmctld munged; do
        kill -9 "$(cat "$dir/$name.pid")" 2>/dev/null || true
    done
    ;;
esac
