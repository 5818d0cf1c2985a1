/*
 * outside_vm.c - see outside_vm.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/outside_vm.h"
#include <string.h>
#include "base/err.h"
#include "command/cmd.h"
#include "jvm/notcore.h"
#include "jvm/outside.h"
#include "command/say.h"

bool outside_vm_is_core(const char *word)
{
    bool is_number = word[strspn(word, "0123456789")] == '\0';
    return strchr(word, '/') || (!is_number && notcore_is_core(word));
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
        notcore_say(name);
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
                                  : "the JVM was just starting, or the core lacks them");
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
