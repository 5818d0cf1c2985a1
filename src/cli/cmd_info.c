/*
 * cmd_info.c - `hprof info TARGET|CORE [WHAT]`: what a JVM tells about itself, named by familiar
 * words.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "jvm/asking.h"
#include "jvm/flags_outside.h"
#include "jvm/jvm_target.h"
#include "command/say.h"
#include "hotspot/vm_start.h"

static const struct opt options[] = {
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    ASKING_OUTSIDE_ROWS,
    {0},
};

static int put_version(struct outside_vm *vm);
static int put_command(struct outside_vm *vm);
static int put_flags(struct outside_vm *vm);

/* Each word was an option of jmap or jinfo, or is a shorter word for a command of jcmd. */
static const struct subject {
    const char *word, *command;
    bool is_in_short;                   /* shown if the user names no word */
    const char *old;                    /* the option of jmap that did the same; NULL: none */
    int (*look)(struct outside_vm *vm); /* NULL: only a live JVM that answers can tell */
} subjects[] = {
    {"version", "VM.version", true, NULL, put_version},
    {"uptime", "VM.uptime", true, NULL, NULL},
    {"command", "VM.command_line", true, NULL, put_command},
    {"flags", "VM.flags", true, NULL, put_flags},
    {"heap", "GC.heap_info", true, NULL, NULL},
    {"finalizers", "GC.finalizer_info", false, "finalizerinfo", NULL},
    {"classloaders", "VM.classloader_stats", false, "clstats", NULL},
    {"all", "VM.info", false, NULL, NULL},
};

enum { SUBJECTS = sizeof(subjects) / sizeof(subjects[0]) };

static int print_process(const struct jvm *jvm)
{
    printf("process %d", (int)jvm->process.pid);
    if (jvm->process.inner_pid != jvm->process.pid)
        printf(", for itself %d", (int)jvm->process.inner_pid);
    printf(", user %u", (unsigned)jvm->process.uid);
    if (jvm->container[0] != '\0')
        printf(", container %s", jvm->container);
    if (jvm->libjvm) {
        fputs("\n", stdout);
        say_clean(stdout, jvm->libjvm);
    }
    putchar('\n');
    return CMD_OK;
}

static int ask(struct attach *a, const struct jvm *jvm, void *with)
{
    const struct subject *subject = with;
    int status = subject ? CMD_OK : print_process(jvm);
    for (unsigned i = 0; i < SUBJECTS && status == CMD_OK; i++) {
        const char *const args[] = {subjects[i].command};
        if (subject ? subject == &subjects[i] : subjects[i].is_in_short)
            status = asking_print(a, jvm, "jcmd", args, 1);
    }
    return status;
}

/* ---- without the JVM's help */

static int put_text(struct outside_vm *vm, const char *title, char *text, int len)
{
    if (len < 0) {
        say("%s: the %s cannot be read", vm->name, title);
        return CMD_FAILED;
    }
    printf("%s: ", title);
    asking_put(text, (size_t)len);
    putchar('\n');
    return CMD_OK;
}

static int put_version(struct outside_vm *vm)
{
    char text[1024];
    return put_text(vm, "version", text, vm_start_version(&vm->target, text, sizeof(text)));
}

/* A longer list is damage: Linux limits a command line to 6 MB. */
enum { LIST_MAX = 16 << 20 };

static int put_list(struct outside_vm *vm, const char *title, enum vm_start_list list, char *text)
{
    uint32_t count = vm_start_count(&vm->target, list);

    size_t bytes = 0;

    if (count > 0)
        printf("%s:", title);
    for (uint32_t i = 0; i < count && bytes < LIST_MAX; i++) {
        int len = vm_start_item(&vm->target, list, i, text, VM_START_TEXT);
        if (len < 0) {
            putchar('\n');
            return put_text(vm, title, text, len);
        }
        putchar(' ');
        asking_put(text, (size_t)len);
        bytes += (size_t)len + 1;
    }
    if (count > 0)
        putchar('\n');
    return CMD_OK;
}

/* The titles are those of the JVM's command VM.command_line. */
static int put_command(struct outside_vm *vm)
{
    char *text = malloc(VM_START_TEXT);
    int status;
    if (!text) {
        say("%s: out of memory", vm->name);
        return CMD_FAILED;
    }
    status = put_list(vm, "jvm_flags", VM_START_FLAGS, text);
    if (status == CMD_OK)
        status = put_list(vm, "jvm_args", VM_START_ARGS, text);
    if (status == CMD_OK)
        status =
            put_text(vm, "java_command", text, vm_start_command(&vm->target, text, VM_START_TEXT));
    free(text);
    return status;
}

static int put_flags(struct outside_vm *vm)
{
    return flags_outside_print(vm, false);
}

static void put_core(const struct mem_core *core)
{
    printf("core of process %d", (int)core->pid);
    if (core->signal != 0)
        printf(", ended by signal %d (%s)", core->signal, strsignal(core->signal));
    putchar('\n');
}

static int look(struct outside_vm *vm, void *with)
{
    const struct subject *subject = with;
    int status = CMD_OK;
    if (subject && !subject->look) {
        say("%s: only a JVM that answers tells '%s'; here are version, command and flags", vm->name,
            subject->word);
        return CMD_FAILED;
    }
    if (!subject && vm->is_core)
        put_core(&vm->core);
    for (unsigned i = 0; i < SUBJECTS; i++) {
        int one = CMD_OK;
        if (subjects[i].look && (!subject || subject == &subjects[i]))
            one = subjects[i].look(vm);
        status = one > status ? one : status;
    }
    return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    const struct subject *subject = NULL;

    int status = asking_read(&line, argc, argv, 1);
    if (status >= 0)
        return status;
    for (unsigned i = 0; i < SUBJECTS && line.count > 0; i++)
        if (strcmp(subjects[i].word, line.words[0]) == 0 ||
            (subjects[i].old && strcmp(subjects[i].old, line.words[0]) == 0))
            subject = &subjects[i];
    if (line.count > 0 && !subject) {
        say("info: '%s': known are version, uptime, command, flags, heap, finalizers, classloaders "
            "and all",
            line.words[0]);
        return CMD_USAGE;
    }
    if (asking_is_outside(&line))
        return asking_each_outside(&line, look, (void *)(uintptr_t)subject);
    return asking_each(&line.q, ask, (void *)(uintptr_t)subject);
}

const struct cmd cmd_info = {
    .name = "info",
    .group = CMD_LOOKS,
    .help = "Print what a JVM tells about itself: version, command line, flags, heap",
    .operands = "TARGET|CORE [WHAT]",
    .needs = "a live JVM or a core file",
    .others = "jinfo",
    .options = options,
    .run = run,
};
