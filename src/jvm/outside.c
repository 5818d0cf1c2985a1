/*
 * outside.c - see outside.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/outside.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "attach/jvms.h"
#include "base/err.h"
#include "base/proc_ids.h"
#include "command/cmd.h"
#include "command/say.h"
#include "jvm/max_stop.h"
#include "mem/mem_live.h"
#include "mem/mem_stop.h"
#include "mem/proc_stat.h"
#include "process/process.h"

/* ---- what a file is
 *
 * The first bytes tell the kind of a file: the ELF header of core(5), the magic numbers of programs
 * that pack cores, and the beginnings of other files that a JVM leaves behind. */

#define BYTES(text) (text), sizeof(text) - 1

static const struct beginning {
    const char *bytes;
    size_t len;
    const char *text;
} beginnings[] = {
    {BYTES("\x1f\x8b"), "packed with gzip; unpack it first (gzip -d)"},
    {BYTES("\x28\xb5\x2f\xfd"), "packed with zstd; unpack it first (zstd -d)"},
    {BYTES("\x04\x22\x4d\x18"), "packed with lz4; unpack it first (lz4 -d)"},
    {BYTES("\xfd\x37zXZ"), "packed with xz; unpack it first (xz -d)"},
    {BYTES("BZh"), "packed with bzip2; unpack it first (bzip2 -d)"},
    {BYTES("PK\x03\x04"), "a zip or jar file, not a core file"},
    {BYTES("JAVA PROFILE 1.0"), "a profile or heap dump, not a core file; see 'hprof help report'"},
    {BYTES("#\n# A fatal error has been detected by the Java"),
     "the JVM's error log, not a core file; the log says where the core is"},
};

static const char *kind_of_bytes(const unsigned char *bytes, size_t len)
{
    for (unsigned i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
        const struct beginning *b = &beginnings[i];
        if (len >= b->len && memcmp(bytes, b->bytes, b->len) == 0)
            return b->text;
    }
    if (len < EI_NIDENT || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return "not a core file";
    if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB)
        return "an ELF file that is not 64-bit little-endian: not supported";
    return len < sizeof(Elf64_Ehdr) ? "not a core file: it ends within the header"
                                    : "a program or library, not a core file";
}

/* Reads the first bytes. Never waits: a pipe without a writer gives no bytes. Returns the number of
 * bytes; negative: see errno. */
static ssize_t read_head(const char *path, unsigned char *bytes, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, size);
    if (fd >= 0)
        close(fd);
    return n;
}

static const char *kind_of(const char *path)
{
    unsigned char bytes[sizeof(Elf64_Ehdr)];
    struct stat st;
    if (stat(path, &st) != 0)
        return strerror(errno);
    if (S_ISDIR(st.st_mode))
        return "a folder; name the core file in it";
    if (!S_ISREG(st.st_mode))
        return "not a file with bytes of its own (a device, pipe or socket)";
    if (st.st_size == 0)
        return "an empty file";
    ssize_t n = read_head(path, bytes, sizeof(bytes));
    return n < 0 ? strerror(errno) : kind_of_bytes(bytes, (size_t)n);
}

bool outside_is_core(const char *path)
{
    Elf64_Ehdr head;
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
           read_head(path, (unsigned char *)&head, sizeof(head)) == (ssize_t)sizeof(head) &&
           memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_type == ET_CORE;
}

void outside_say_no_core(const char *path)
{
    say("%s: %s", path, kind_of(path));
}

/* ---- what went wrong */

enum { YOUNG_S = 60 };

bool outside_is_young(pid_t pid)
{
    double age_s = mem_live_age_s(pid);
    return age_s >= 0 && age_s < YOUNG_S;
}

void outside_say_open(const char *what, int error, const char *missing, const char *no_tables)
{
    if (error == E_FACT_MISSING)
        say("%s: this version of the VM is not known: it does not tell %s", what, missing);
    else if (error == E_NOT_FOUND)
        say("%s: not a JVM: it has no libjvm.so", what);
    else if (error == E_VM_STATE)
        say("%s: libjvm.so is there, but its tables are not filled: %s", what, no_tables);
    else
        say("%s: cannot read libjvm.so: %s", what, err_text(error));
}

void outside_say_open_live(const char *name, pid_t pid, int error, const char *missing)
{
    if (outside_say_ended(name, pid))
        return;
    outside_say_open(name, error, missing,
                     outside_is_young(pid) ? "the JVM is just starting; try again"
                                           : "no VM has started in this process, or its memory "
                                             "makes no sense");
}

bool outside_say_ended(const char *name, pid_t pid)
{
    struct mem_live live;
    bool is_gone = kill(pid, 0) != 0 && errno == ESRCH;
    bool is_zombie = !is_gone && mem_live_open(pid, &live) == -ESRCH;
    if (!is_gone)
        mem_live_close(&live);
    if (is_gone)
        say("%s: no such process; list the JVMs with 'hprof ps'", name);
    else if (is_zombie)
        say("%s: the process has ended; only its exit status is left (a zombie)", name);
    return is_gone || is_zombie;
}

int outside_check_jvm(const char *word, const struct jvm *jvm)
{
    struct jvms again;
    if (jvm->libjvm)
        return CMD_OK;
    int error = jvms_one(jvm->process.pid, &again);
    jvms_done(&again);
    if (error == -EACCES || error == -EPERM)
        say("%s: not permitted; %s", word, outside_remedy());
    else if (!outside_say_ended(word, jvm->process.pid))
        say("%s: not a HotSpot JVM: it has no libjvm.so", word);
    return CMD_FAILED;
}

const char *outside_remedy(void)
{
    return geteuid() == 0 ? "root lacks CAP_SYS_PTRACE here: give it that (docker run --cap-add "
                            "SYS_PTRACE), or run as the user of the process"
                          : "run as the user of the process, or as root";
}

void outside_say_process(const char *name, pid_t pid, int error)
{
    if (outside_say_ended(name, pid))
        return;
    if ((error == -EPERM || error == -EACCES) && mem_live_refused() < 0)
        say("%s: not permitted: process_vm_readv is refused here (%s), as a container's seccomp "
            "profile does, and /proc/%d/mem cannot be read; allow one of them",
            name, err_text(mem_live_refused()), (int)pid);
    else if (error == -EPERM || error == -EACCES)
        say("%s: not permitted; %s, and see /proc/sys/kernel/yama/ptrace_scope", name,
            outside_remedy());
    else
        say("%s: %s", name, err_text(error));
}

/* Says why threads did not stop in time, from what /proc shows. */
static void say_late(const char *name, pid_t pid, const struct mem_stop_bound *bound,
                     bool has_no_stop)
{
    const char *use = has_no_stop ? "; use --no-stop" : "",
               *or_use = has_no_stop ? ", or use --no-stop" : "";
    struct proc_ids tasks;
    struct proc_stat stat;
    pid_t asleep = 0;
    unsigned count = 0;
    if (proc_ids_open_threads(pid, &tasks) == 0) {
        for (pid_t tid; (tid = proc_ids_next(&tasks)) != 0; count++)
            if (proc_stat_read(pid, tid, &stat) == 0 &&
                *proc_stat_field(&stat, PROC_STAT_STATE) == 'D')
                asleep = tid;
        proc_ids_close(&tasks);
    }
    if (process_is_frozen(pid))
        say("%s: its control group is frozen, and its threads cannot be stopped%s", name, use);
    else if (asleep != 0)
        say("%s: thread %d does not stop: it waits in the kernel for a device or a file system "
            "(state D)%s",
            name, (int)asleep, use);
    else if (bound->was_over)
        say("%s: its %u threads did not all stop within %s, the bound of --max-stop; try again, "
            "%sraise it%s",
            name, count, max_stop_text(bound->most_ns), has_no_stop ? "" : "or ", or_use);
    else
        say("%s: its %u threads did not all stop in time: the machine is too busy; try again%s",
            name, count, or_use);
}

void outside_say_stop(const char *name, pid_t pid, int error, const struct mem_stop_bound *bound,
                      bool has_no_stop)
{
    pid_t tracer = mem_stop_tracer(pid);
    if (outside_say_ended(name, pid))
        return;
    if (error == -EPERM && tracer > 0)
        say("%s: process %d (a debugger?) traces it already; end that%s", name, (int)tracer,
            has_no_stop ? ", or use --no-stop" : "");
    else if (error == -ETIMEDOUT)
        say_late(name, pid, bound, has_no_stop);
    else if (mem_stop_refused() < 0)
        say("%s: the process cannot be stopped: ptrace is refused here (%s), as a container's "
            "seccomp profile does; allow it there%s",
            name, err_text(mem_stop_refused()), has_no_stop ? ", or use --no-stop" : "");
    else
        outside_say_process(name, pid, error);
}

/* ---- the VM */

bool outside_vm_is_core(const char *word)
{
    bool is_number = word[strspn(word, "0123456789")] == '\0';
    return strchr(word, '/') || (!is_number && outside_is_core(word));
}

void outside_vm_say_missing_files(const char *name, const struct mem_core *core)
{
    for (uint32_t i = 0; i < core->files.count; i++) {
        const struct core_file *file = core->files.rows[i];
        /* The file of the JVM's counters is removed with the JVM, and only the counters need it. */
        if (file->wanted == 0 || strstr(file->path, "/hsperfdata_"))
            continue;
        say("%s: needs %s: %s; give the files of the core's machine with --sysroot DIR, or its "
            "java program with --exe FILE",
            name, file->path, err_text(file->error != 0 ? file->error : E_TRUNCATED));
    }
}

int outside_vm_read_core(const char *name, const struct outside_files *files, struct mem_core *ret)
{
    int error = mem_core_open(name, files->sysroot, files->exe, ret);
    if (error == E_UNSUPPORTED || error == E_FORMAT)
        outside_say_no_core(name);
    else if (error == E_TRUNCATED)
        say("%s: the core has no threads: it was cut too early", name);
    else if (error < 0)
        say("%s: %s", name, err_text(error));
    return error < 0 ? CMD_FAILED : CMD_OK;
}

void outside_vm_say_core(const char *name, const struct mem_core *core, int error,
                         const char *missing)
{
    outside_say_open(name, error, missing,
                     core->is_cut ? "the core was cut, and they are in what is missing"
                                  : "the JVM was just starting, or the core lacks them (0x33 in "
                                    "/proc/PID/coredump_filter keeps them)");
    outside_vm_say_missing_files(name, core);
}

int outside_vm_open_core(const char *name, const struct outside_files *files,
                         struct outside_vm *ret)
{
    const char *missing = "";
    *ret = (struct outside_vm){.name = name, .is_core = true, .live = {.mem_fd = -1}};
    if (outside_vm_read_core(name, files, &ret->core) != CMD_OK)
        return CMD_FAILED;
    int error = target_open(&ret->core.image, &ret->target, &missing);
    if (error < 0)
        outside_vm_say_core(name, &ret->core, error, missing);
    return error < 0 ? CMD_FAILED : CMD_OK;
}

int outside_vm_open_live(const char *name, pid_t pid, struct outside_vm *ret)
{
    const char *missing = "";
    *ret = (struct outside_vm){.name = name, .live = {.mem_fd = -1}};
    int error = mem_live_open(pid, &ret->live);
    if (error < 0)
        outside_say_process(name, pid, error);
    else if ((error = target_open(&ret->live.image, &ret->target, &missing)) < 0)
        outside_say_open_live(name, pid, error, missing);
    return error < 0 ? CMD_FAILED : CMD_OK;
}

void outside_vm_close(struct outside_vm *vm)
{
    target_close(&vm->target);
    if (vm->is_core)
        mem_core_close(&vm->core);
    else
        mem_live_close(&vm->live);
}
