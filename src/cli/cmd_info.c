/*
 * cmd_info.c - `hprof info TARGET [WHAT]`: what a JVM tells about itself, by the words people know.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cmd.h"
#include <stdio.h>
#include <string.h>
#include "cli/asking.h"
#include "cli/jvm_target.h"
#include "cli/say.h"

static const struct opt options[] = {
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    {0},
};

/* Each has been an option of jmap or jinfo, or is what jcmd calls otherwise. */
static const struct subject {
    const char *word, *command;
    bool is_in_short; /* shown where no word is given */
    const char *old;  /* the option of jmap that asked for it; NULL: none did */
} subjects[] = {
    {"version", "VM.version", true, NULL},
    {"uptime", "VM.uptime", true, NULL},
    {"command", "VM.command_line", true, NULL},
    {"flags", "VM.flags", true, NULL},
    {"heap", "GC.heap_info", true, NULL},
    {"finalizers", "GC.finalizer_info", false, "finalizerinfo"},
    {"classloaders", "VM.classloader_stats", false, "clstats"},
    {"all", "VM.info", false, NULL},
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
    return asking_each(&line.q, ask, (void *)(uintptr_t)subject);
}

const struct cmd cmd_info = {
    .name = "info",
    .group = CMD_LOOKS,
    .help = "Print what a JVM tells about itself: version, command line, flags, heap",
    .operands = "TARGET [WHAT]",
    .needs = "a live JVM",
    .jdk_tool = "jinfo",
    .options = options,
    .run = run,
};
