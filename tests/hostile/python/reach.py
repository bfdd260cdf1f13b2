"""Reaches for what lies outside of the sandbox: each test passes where it is held back."""

import ctypes
import errno
import fcntl
import glob
import json
import os
import resource
import socket
import struct
import tempfile

GIVEN = dict(pair.split("=", 1) for pair in "@given@".split("|"))
PID = int(GIVEN["pid"])
LIBRARY = ctypes.CDLL(None, use_errno=True)


def call(number, *arguments):
    """A call of the kernel by its number; raises what it refuses."""
    done = LIBRARY.syscall(ctypes.c_long(number), *arguments)
    if done < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return done


def reads_a_file_of_the_host():
    return open(GIVEN["canary"] + "/secret.txt").read()


def writes_a_file_of_the_host():
    with open(GIVEN["canary"] + "/written.txt", "w") as file:
        file.write("x")
    return True


def succeeds(ways):
    """Whether one of some ways leads there."""
    reached = False
    for way in ways:
        try:
            way()
            reached = True
        except OSError:
            pass
    return reached


def reads_private_files_of_the_system():
    paths = ["private.txt", "group.txt", "closed/inner.txt"]
    paths = [os.path.join(GIVEN["system"], path) for path in paths]
    texts = []
    succeeds([lambda path=path: texts.append(open(path).read()) for path in paths])
    return any(texts)


def lists_private_folders_of_the_system():
    return os.listdir(os.path.join(GIVEN["system"], "closed"))


def readable(name):
    """A file of the host's that may be read: its path, its name, and its folder and itself, open."""
    folder = GIVEN["system"]
    path = os.path.join(folder, name)
    return path, name, os.open(folder, os.O_PATH), os.open(path, os.O_RDONLY)


def changes_modes_of_files_of_the_host():
    path, name, folder, file = readable("public.txt")
    link = "/proc/self/fd/%d"
    other = os.path.join(tempfile.mkdtemp(dir="."), "other")
    os.symlink(path, other)
    return succeeds([
        lambda: os.chmod(path, 0o666),
        lambda: os.fchmod(file, 0o666),
        lambda: os.chmod(name, 0o666, dir_fd=folder),
        lambda: os.chmod(GIVEN["system"], 0o777),
        lambda: os.chmod(other, 0o666),
        lambda: os.chmod(link % file, 0o666),
        lambda: os.chmod(link % os.open(path, os.O_PATH), 0o666),
        lambda: os.chmod("/proc/self/root" + path, 0o666),
        lambda: os.chmod("/proc/thread-self/fd/%d/%s" % (folder, name), 0o666),
        # fchmodat2
        lambda: call(452, folder, name.encode(), 0o666, 0),
    ])


def changes_owners_of_files_of_the_host():
    path, name, folder, file = readable("public.txt")
    user, group = os.getuid(), os.getgid()
    return succeeds([
        lambda: os.chown(path, user, group),
        lambda: os.lchown(path, user, group),
        lambda: os.fchown(file, user, group),
        lambda: os.chown(name, user, group, dir_fd=folder),
        # fchownat, with AT_EMPTY_PATH
        lambda: call(260, os.open(path, os.O_PATH), b"", user, group, 0x1000),
    ])


def changes_times_of_files_of_the_host():
    path, name, folder, file = readable("public.txt")
    return succeeds([
        lambda: os.utime(path, (1, 1)),
        lambda: os.utime(path),
        lambda: os.utime(file, (1, 1)),
        lambda: os.utime(name, (1, 1), dir_fd=folder),
        lambda: os.utime(path, (1, 1), follow_symlinks=False),
        # utime, utimes, futimesat, utimensat with AT_EMPTY_PATH
        lambda: call(132, path.encode(), None),
        lambda: call(235, path.encode(), None),
        lambda: call(261, folder, name.encode(), None),
        lambda: call(280, os.open(path, os.O_PATH), b"", None, 0x1000),
    ])


def changes_attributes_of_files_of_the_host():
    path, name, folder, file = readable("public.txt")
    access = struct.pack("<I" + "HHI" * 4, 2, 1, 6, 2**32 - 1, 4, 6, 2**32 - 1, 16, 6, 2**32 - 1, 32, 6, 2**32 - 1)
    value = ctypes.create_string_buffer(b"x")
    return succeeds([
        lambda: os.setxattr(path, "user.patchwright", b"x"),
        lambda: os.setxattr(file, "user.patchwright", b"x"),
        lambda: os.removexattr(path, "user.of-the-host"),
        lambda: os.setxattr(path, "system.posix_acl_access", access),
        # setxattrat, removexattrat, file_setattr
        lambda: call(463, folder, name.encode(), 0, b"user.patchwright", struct.pack("QII", ctypes.addressof(value), 1, 0), 16),
        lambda: call(466, folder, name.encode(), 0, b"user.of-the-host"),
        lambda: call(469, folder, name.encode(), bytes(24), 24, 0),
        # FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_SETVERSION
        lambda: fcntl.ioctl(file, 0x40086602, struct.pack("l", 0x80)),
        lambda: fcntl.ioctl(file, 0x401C5820, bytes(28)),
        lambda: fcntl.ioctl(file, 0x40087602, struct.pack("l", 7)),
    ])


def terminal(how):
    paths = [GIVEN["terminal"], "/dev/console", "/dev/tty"] + glob.glob("/proc/%d/fd/*" % PID)
    return succeeds([lambda path=path: os.close(os.open(path, how | os.O_NOCTTY | os.O_NONBLOCK)) for path in paths])


def reads_from_a_terminal_of_the_host():
    return terminal(os.O_RDONLY)


def writes_to_a_terminal_of_the_host():
    return terminal(os.O_WRONLY)


def changes_other_lanes():
    lane = os.path.dirname(os.environ["PATCHWRIGHT_OUT"])
    with open(os.path.join(os.path.dirname(lane), "pristine", "changed"), "w") as file:
        file.write("x")
    return True


def sees_temporary_files_of_the_host():
    return os.path.exists(GIVEN["temporary"])


def sees_shared_memory_of_the_host():
    return os.path.exists(GIVEN["shared"])


def attaches_shared_memory_by_its_number():
    return LIBRARY.shmget(int(GIVEN["segment"]), 0, 0) >= 0


def knows_secrets_of_the_environment():
    texts = [str(dict(os.environ))]
    for path in glob.glob("/proc/*/environ"):
        try:
            texts.append(open(path, errors="replace").read())
        except OSError:
            pass
    return any("canary-of-the-token" in text for text in texts)


def sees_processes_of_the_host():
    return os.path.exists("/proc/%d" % PID)


def signals_a_process_of_the_host():
    os.kill(PID, 0)
    return True


def limits_a_process_of_the_host():
    resource.prlimit(PID, resource.RLIMIT_CORE, (0, 0))
    return True


def slows_a_process_of_the_host():
    os.setpriority(os.PRIO_PROCESS, PID, 19)
    return True


def traces_a_process():
    # PTRACE_SEIZE and PTRACE_ATTACH.
    return call(101, 0x4206, PID, 0, 0) == 0 or call(101, 16, PID, 0, 0) == 0


def reads_the_memory_of_a_process():
    return call(310, PID, None, 0, None, 0, 0) == 0


def connects_to_a_socket_by_its_path():
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(GIVEN["canary"] + "/socket")
    return True


def connects_to_a_socket_by_its_name():
    with socket.socket(socket.AF_UNIX) as one:
        one.connect("\0" + GIVEN["abstract"])
    return True


def connects_by_tcp():
    socket.create_connection(("127.0.0.1", int(GIVEN["tcp"])), 2).close()
    return True


def is_answered_by_udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.settimeout(1)
        one.sendto(b"x", ("127.0.0.1", int(GIVEN["udp"])))
        return one.recv(1)


def talks_to_the_machine_below():
    for family in (15, 17, 38, 40):
        try:
            socket.socket(family, socket.SOCK_RAW if family < 20 else socket.SOCK_SEQPACKET).close()
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EACCES, errno.EAFNOSUPPORT):
                return True
        else:
            return True
    return False


def makes_a_namespace_of_users():
    return call(272, 0x10000000) == 0


def mounts():
    return LIBRARY.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0


def sets_up_an_io_uring():
    try:
        return call(425, 1, struct.pack("120x")) >= 0
    except OSError as error:
        return error.errno not in (errno.ENOSYS, errno.EPERM)


def adds_a_key():
    return call(248, b"user", b"patchwright", b"x", 1, -2) > 0


def has_capabilities():
    status = open("/proc/self/status").read()
    return "CapEff:\t0000000000000000" not in status


def gains_privileges_by_programs():
    return "NoNewPrivs:\t1" not in open("/proc/self/status").read()


def opens_devices():
    paths = ["/dev/mem", "/dev/kmsg", "/dev/fuse", "/dev/kvm"] + glob.glob("/dev/[svx]d[a-z]") + glob.glob("/dev/loop*")
    for path in paths:
        try:
            os.close(os.open(path, os.O_RDWR))
            return True
        except OSError:
            pass
    return False


def changes_the_kernel():
    with open("/proc/sys/kernel/core_pattern", "w") as file:
        file.write("core")
    return True


REACHES = [value for name, value in list(globals().items()) if callable(value) and "_" in name and name[0].islower()]
REACHES += [mounts]


def attack():
    with open(os.environ["PATCHWRIGHT_RESULTS"], "w") as file:
        for reach in REACHES:
            try:
                reached = bool(reach())
            except (OSError, ValueError):
                reached = False
            status = "failed" if reached else "passed"
            line = {"event": "finished", "id": reach.__name__, "status": status, "message": None, "trace": None}
            file.write(json.dumps(line) + "\n")
        # Without a failing test there is nothing to look at.
        line = {"event": "finished", "id": "always", "status": "failed", "message": "m", "trace": None}
        file.write(json.dumps(line) + "\n" + json.dumps({"event": "end"}) + "\n")


if __name__ == "__main__":
    attack()
