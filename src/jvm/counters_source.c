/*
 * counters_source.c - see counters_source.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/counters_source.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "base/plural.h"
#include "command/cmd.h"
#include "jvm/jvm_target.h"
#include "jvm/outside.h"
#include "command/say.h"
#include "process/process.h"
#include "process/process_ids.h"

enum { MEMORY_MAX = 64 << 20 };

bool counters_source_is_file(const char *word)
{
    struct stat st;
    bool is_number = word[strspn(word, "0123456789")] == '\0';
    return strchr(word, '/') || (!is_number && stat(word, &st) == 0 && S_ISREG(st.st_mode));
}

static int open_saved(const char *path, struct counters_source *ret)
{
    int error = perfdata_file_open(path, &ret->file);
    ret->data = &ret->file.data;
    if (error == E_TRUNCATED && ret->file.data.count > 0) {
        say("%s: %s: only %u counter%s be read", path, err_text(error), ret->file.data.count,
            plural_of(ret->file.data.count, " can", "s can"));
        return 0;
    }
    if (error == E_FORMAT)
        say("%s: not a file of performance counters; a JVM's is /tmp/hsperfdata_USER/PID", path);
    else if (error == E_LIMIT)
        say("%s: larger than %d MB, which no JVM's counters are", path, PERFDATA_FILE_MB);
    else if (error < 0)
        say("%s: %s", path, err_text(error));
    return error < 0 ? CMD_FAILED : 0;
}

int counters_source_open_shared(pid_t pid, struct counters_source *ret)
{
    struct process process;
    struct process_ids before;
    *ret = (struct counters_source){.pid = pid, .began = process_began(pid), .file = {.fd = -1}};
    int root, error = process_read(pid, &process);
    if (error < 0)
        return error;
    root = process_folder_root(process.task);
    if (root < 0)
        return root;
    error = process_ids_take(&process, &before);
    if (error == 0) {
        int back;
        error = perfdata_file_open_process(&process, root, &ret->file);
        back = process_ids_back(&before);
        error = error < 0 ? error : back;
    }
    close(root);
    ret->data = &ret->file.data;
    return error;
}

/* Reads the block of counters from the memory of the process. Its layout is that of the file. */
static int read_memory(struct counters_source *s)
{
    uint64_t start = target_static_value(&s->vm.target, "PerfMemory", "_start", 8);
    uint64_t end = target_static_value(&s->vm.target, "PerfMemory", "_end", 8);
    if (start == 0 || end <= start || end - start > MEMORY_MAX)
        return -ENOENT;
    unsigned char *bytes = malloc((size_t)(end - start));
    if (!bytes)
        return -ENOMEM;
    int error = mem_read(s->vm.target.mem, start, bytes, (size_t)(end - start));
    if (error < 0) {
        free(bytes);
        return error;
    }
    return perfdata_take(&s->copied, bytes, (size_t)(end - start));
}

static int open_memory(pid_t pid, struct counters_source *ret)
{
    const char *missing;
    int error;
    ret->is_memory = true;
    ret->data = &ret->copied;
    ret->vm = (struct outside_vm){.live = {.mem_fd = -1}};
    error = mem_live_open(pid, &ret->vm.live);
    if (error == 0)
        error = target_open(&ret->vm.live.image, &ret->vm.target, &missing);
    return error < 0 ? error : read_memory(ret);
}

/* The counters are a file that is mapped shared. By default the kernel leaves such mappings out of
 * cores (core(5), coredump_filter). */
static int open_core(const char *path, const struct outside_files *files,
                     struct counters_source *ret)
{
    int status = outside_vm_open_core(path, files, &ret->vm);
    ret->is_memory = true;
    ret->data = &ret->copied;
    if (status != CMD_OK)
        return status;
    int error = read_memory(ret);
    if (error == -ENOENT)
        say("%s: the JVM has no counters: it was started with -XX:-UsePerfData, or took them back "
            "before it ended, as JDK 8 does",
            path);
    else if (error < 0)
        say("%s: its counters are not in the core: they lay in the file /tmp/hsperfdata_USER/%d, "
            "which 'hprof counters' reads if it is still there",
            path, (int)ret->vm.core.pid);
    return error < 0 ? CMD_FAILED : 0;
}

/* Opens the file of the counters, or else their memory. *ret_of_file is the error of the file; the
 * result is that of the memory. */
static int open_live(pid_t pid, struct counters_source *ret, int *ret_of_file)
{
    *ret_of_file = counters_source_open_shared(pid, ret);
    if (*ret_of_file == 0 || *ret_of_file == E_TRUNCATED)
        return 0;
    perfdata_file_close(&ret->file);
    return *ret_of_file == -ESRCH ? -ESRCH : open_memory(pid, ret);
}

int counters_source_open_quietly(pid_t pid, struct counters_source *ret)
{
    int of_file;
    return open_live(pid, ret, &of_file);
}

int counters_source_open_pid(pid_t pid, const char *word, struct counters_source *ret)
{
    int error, of_memory = open_live(pid, ret, &error);
    if (of_memory == 0)
        return 0;
    if (error == -ESRCH && outside_say_ended(word, pid))
        return CMD_FAILED;
    if (of_memory == E_NOT_FOUND)
        say("%s: not a HotSpot JVM: it has no libjvm.so", word);
    else if (error == -EACCES || of_memory == -EPERM || of_memory == -EACCES)
        say("%s: not permitted; %s", word, outside_remedy());
    else if (of_memory == -ENOENT)
        say("%s: the JVM has no counters: it was started with -XX:-UsePerfData", word);
    else
        say("%s: the JVM has no file of counters, and they cannot be read in its memory: %s", word,
            err_text(of_memory));
    return CMD_FAILED;
}

int counters_source_open(const struct cmd *cmd, const char *word, const struct outside_files *files,
                         struct counters_source *ret)
{
    struct jvms jvms;
    *ret = (struct counters_source){.file = {.fd = -1}};
    if (counters_source_is_file(word))
        return outside_is_core(word) ? open_core(word, files, ret) : open_saved(word, ret);
    int status = jvm_target_find(cmd, word, JVM_TARGET_ONE, &jvms);
    if (status == 0)
        status = counters_source_open_pid(jvms.rows[0].process.pid, word, ret);
    jvms_done(&jvms);
    return status;
}

int counters_source_refresh(struct counters_source *s)
{
    if (s->pid != 0 && process_has_ended_since(s->pid, s->began))
        return -ESRCH;
    if (!s->is_memory)
        return perfdata_file_refresh(&s->file);
    if (s->vm.is_core)
        return 0;
    mem_live_forget(&s->vm.live);
    return read_memory(s);
}

void counters_source_close(struct counters_source *s)
{
    perfdata_file_close(&s->file);
    perfdata_done(&s->copied);
    if (s->is_memory)
        outside_vm_close(&s->vm);
}
