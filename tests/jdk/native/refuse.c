/*
 * refuse.c - runs a program for which the kernel refuses some system calls, as filters of
 * containers and older kernels do.
 *
 * Usage: refuse RULE... -- PROGRAM ARG...; a rule is NAME=EPERM, NAME=ENOSYS, NAME=ENODEV, or the
 * name of a set. A set has the calls that matter to this project, and no others:
 *
 *   kernel-4.18  what came later: every number from 424 on, and the later kinds of advice
 *   docker       the default profile of Docker (moby, profiles/seccomp/default.json): what it does
 *                not name has EPERM, but clone3 ENOSYS
 *   docker-old   that of 2017, from before the later calls; clone3 is let through, because a C
 *                library from 2.34 on starts no thread when clone3 has EPERM
 *   podman       that of Podman (containers/common, pkg/seccomp/seccomp.json): calls that need a
 *                capability have EPERM, unknown calls ENOSYS
 *   gvisor       what gVisor lacks (pkg/sentry/syscalls/linux), with the memory of other
 *                processes, which its older releases lack
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the numbers of this CPU are not known"
#endif

/* From 424 on numbers are the same on every CPU. Headers may be older than these calls. */
enum {
    PIDFD_SEND_SIGNAL = 424,
    IO_URING_SETUP = 425,
    IO_URING_ENTER = 426,
    IO_URING_REGISTER = 427,
    PIDFD_OPEN = 434,
    CLONE3 = 435,
    CLOSE_RANGE = 436,
    OPENAT2 = 437,
    PIDFD_GETFD = 438,
    FACCESSAT2 = 439,
    PROCESS_MADVISE = 440,
    EPOLL_PWAIT2 = 441,
    MEMFD_SECRET = 447,
    PROCESS_MRELEASE = 448,
    LATER = 449,      /* the first number that no set knows */
    ADVICE_COLD = 20, /* the first advice of madvise() that came after 4.18 */
    ADVICE_LAST = 99, /* those from 100 on are old */
    ROWS_MAX = 1024,
};

static const struct {
    const char *name;
    unsigned number;
} calls[] = {
    {"bpf", SYS_bpf},
    {"close_range", CLOSE_RANGE},
    {"clone3", CLONE3},
    {"copy_file_range", SYS_copy_file_range},
    {"execveat", SYS_execveat},
    {"faccessat2", FACCESSAT2},
    {"fallocate", SYS_fallocate},
    {"fanotify_init", SYS_fanotify_init},
    {"flock", SYS_flock},
    {"getrandom", SYS_getrandom},
    {"io_uring_enter", IO_URING_ENTER},
    {"io_uring_register", IO_URING_REGISTER},
    {"io_uring_setup", IO_URING_SETUP},
    {"kcmp", SYS_kcmp},
    {"linkat", SYS_linkat},
    {"madvise", SYS_madvise},
    {"membarrier", SYS_membarrier},
    {"memfd_create", SYS_memfd_create},
    {"memfd_secret", MEMFD_SECRET},
    {"mincore", SYS_mincore},
    {"openat2", OPENAT2},
    {"perf_event_open", SYS_perf_event_open},
    {"pidfd_getfd", PIDFD_GETFD},
    {"pidfd_open", PIDFD_OPEN},
    {"pidfd_send_signal", PIDFD_SEND_SIGNAL},
    {"process_madvise", PROCESS_MADVISE},
    {"process_mrelease", PROCESS_MRELEASE},
    {"process_vm_readv", SYS_process_vm_readv},
    {"process_vm_writev", SYS_process_vm_writev},
    {"ptrace", SYS_ptrace},
    {"renameat2", SYS_renameat2},
    {"rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo},
    {"sched_getaffinity", SYS_sched_getaffinity},
    {"setpriority", SYS_setpriority},
    {"signalfd4", SYS_signalfd4},
    {"statx", SYS_statx},
    {"timer_create", SYS_timer_create},
    {"userfaultfd", SYS_userfaultfd},
    {"vmsplice", SYS_vmsplice},
};

struct rule {
    const char *set;
    unsigned number;
    int error;
    unsigned last; /* the rule is for the numbers up to this one; 0: for `number` alone */
    /* not 0: only if this argument, counted from 1, is from `least` to `most` */
    unsigned argument, least, most;
};

static const struct rule sets[] = {
    {"kernel-4.18", PIDFD_SEND_SIGNAL, ENOSYS, .last = ~0u},
    {"kernel-4.18", SYS_madvise, EINVAL, .argument = 3, .least = ADVICE_COLD, .most = ADVICE_LAST},

    {"docker", CLONE3, ENOSYS},
    {"docker", SYS_perf_event_open, EPERM},
    {"docker", SYS_userfaultfd, EPERM},
    {"docker", SYS_kcmp, EPERM},
    {"docker", SYS_fanotify_init, EPERM},
    {"docker", IO_URING_SETUP, EPERM, .last = IO_URING_REGISTER},
    {"docker", PIDFD_GETFD, EPERM},
    {"docker", PROCESS_MADVISE, EPERM},
    {"docker", LATER, EPERM, .last = ~0u},

    {"docker-old", SYS_perf_event_open, EPERM},
    {"docker-old", SYS_userfaultfd, EPERM},
    {"docker-old", SYS_kcmp, EPERM},
    {"docker-old", SYS_membarrier, EPERM},
    {"docker-old", SYS_statx, EPERM},
    {"docker-old", SYS_ptrace, EPERM},
    {"docker-old", SYS_process_vm_readv, EPERM},
    {"docker-old", SYS_process_vm_writev, EPERM},
    {"docker-old", PIDFD_SEND_SIGNAL, EPERM, .last = PIDFD_OPEN},
    {"docker-old", CLOSE_RANGE, EPERM, .last = ~0u},

    {"podman", SYS_perf_event_open, EPERM},
    {"podman", SYS_userfaultfd, EPERM},
    {"podman", SYS_membarrier, EPERM},
    {"podman", SYS_vmsplice, EPERM},
    {"podman", SYS_kcmp, EPERM},
    {"podman", SYS_ptrace, EPERM},
    {"podman", SYS_process_vm_readv, EPERM},
    {"podman", SYS_process_vm_writev, EPERM},
    {"podman", PROCESS_MADVISE, EPERM},
    {"podman", IO_URING_SETUP, ENOSYS, .last = IO_URING_REGISTER},
    {"podman", MEMFD_SECRET, ENOSYS, .last = ~0u},

    {"gvisor", SYS_perf_event_open, ENODEV},
    {"gvisor", SYS_userfaultfd, ENOSYS},
    {"gvisor", SYS_kcmp, EPERM},
    {"gvisor", SYS_ptrace, EPERM},
    {"gvisor", SYS_process_vm_readv, ENOSYS},
    {"gvisor", SYS_process_vm_writev, ENOSYS},
    {"gvisor", SYS_copy_file_range, ENOSYS},
    {"gvisor", SYS_vmsplice, ENOSYS},
    {"gvisor", SYS_fanotify_init, ENOSYS},
    {"gvisor", IO_URING_REGISTER, ENOSYS},
    {"gvisor", PROCESS_MADVISE, ENOSYS},
    {"gvisor", EPOLL_PWAIT2 + 1, ENOSYS, .last = ~0u},
};

static struct sock_filter rows[ROWS_MAX];
static unsigned short count;

static void put(struct sock_filter row)
{
    if (count == ROWS_MAX) {
        fputs("refuse: too many rules\n", stderr);
        exit(125);
    }
    rows[count++] = row;
}

static void load(size_t offset)
{
    put((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

static void add(const struct rule *r)
{
    unsigned char skip = r->argument ? 6 : 2;
    put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, r->number, 0, skip));
    put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, r->last ? r->last : r->number,
                                     (unsigned char)(skip - 1), 0));
    if (r->argument) {
        /* the low half of the argument: both CPUs are little-endian */
        load(offsetof(struct seccomp_data, args) + 8 * (r->argument - 1));
        put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, r->least, 0, 2));
        put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, r->most, 1, 0));
    }
    put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)r->error));
    if (r->argument)
        load(offsetof(struct seccomp_data, nr));
}

static int number_of(const char *name, size_t len, unsigned *ret)
{
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (strlen(calls[i].name) == len && memcmp(calls[i].name, name, len) == 0) {
            *ret = calls[i].number;
            return 0;
        }
    }
    return -1;
}

static int add_named(const char *word)
{
    static const struct {
        const char *name;
        int error;
    } errors[] = {{"EPERM", EPERM}, {"ENOSYS", ENOSYS}, {"ENODEV", ENODEV}, {"EINVAL", EINVAL}};
    const char *equals = strchr(word, '=');
    struct rule r = {0};
    if (!equals) {
        unsigned before = count;
        for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
            if (strcmp(sets[i].set, word) == 0)
                add(&sets[i]);
        return count > before ? 0 : -1;
    }
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (strcmp(errors[i].name, equals + 1) == 0)
            r.error = errors[i].error;
    if (r.error == 0)
        return -1;
    if (strncmp(word, "seccomp=", 8) == 0) { /* filters of the program's own, by either call */
        add(&(struct rule){.number = SYS_seccomp, .error = r.error});
        add(&(struct rule){.number = SYS_prctl,
                           .error = r.error,
                           .argument = 1,
                           .least = PR_SET_SECCOMP,
                           .most = PR_SET_SECCOMP});
        return 0;
    }
    if (number_of(word, (size_t)(equals - word), &r.number) < 0)
        return -1;
    add(&r);
    return 0;
}

int main(int argc, char **argv)
{
    struct sock_fprog program = {.filter = rows};
    int at = 1;
    load(offsetof(struct seccomp_data, arch));
    put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    load(offsetof(struct seccomp_data, nr));
    for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
        if (add_named(argv[at]) < 0) {
            fprintf(stderr, "refuse: no rule or set '%s'\n", argv[at]);
            return 125;
        }
    }
    put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    program.len = count;
    if (at + 1 >= argc) {
        fputs("refuse: usage: refuse RULE... -- PROGRAM ARG...\n", stderr);
        return 125;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("refuse: no filter");
        return 126;
    }
    execvp(argv[at + 1], argv + at + 1);
    perror(argv[at + 1]);
    return 127;
}
