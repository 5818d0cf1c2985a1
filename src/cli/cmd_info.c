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
#include "jvm/published.h"
#include "command/opts.h"
#include "command/redact_text.h"
#include "command/say.h"
#include "command/textbuf.h"
#include "hotspot/vm_start.h"

enum { OPT_REDACT = ASKING_OPT_OWN };

static const struct opt options[] = {
    REDACT_TEXT_ROWS(OPT_REDACT),
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

/* What is secret. It is one for all JVMs of a command line. */
static struct redact_text *redacted;

/* Prints a text of the VM without its secrets. */
static void put_told(const char *text, size_t len)
{
    struct textbuf t = {0};
    uint32_t count =
        redacted->is_off ? 0 : redact_text_put(redact_text_secret(redacted), text, len, &t);
    if (redacted->is_off)
        asking_put(text, len);
    else if (!t.is_bad)
        asking_put(t.bytes ? t.bytes : "", t.len);
    redacted->count += count;
    textbuf_done(&t);
}

static void say_redacted(const char *who)
{
    fflush(stdout);
    redact_text_say(redacted, who);
    redacted->count = 0;
}

/* Asks the JVM, and prints its answer without its secrets. */
static int ask_one(struct attach *a, const struct jvm *jvm, const char *command)
{
    const char *const args[] = {command};
    struct attach_reply reply;
    int status = asking_call(a, jvm, "jcmd", args, 1, &reply);
    if (status == CMD_OK)
        put_told(reply.text, reply.text_len);
    attach_reply_done(&reply);
    return status;
}

/* The resource that an SDK of OpenTelemetry in the process describes. */
static void put_resource(const struct jvm *jvm)
{
    struct otel_process published;
    struct textbuf t = {0};
    if (published_read(jvm->process.task, &published) != 0)
        return;
    for (uint32_t i = 0; i < published.attribute_count; i++)
        textbuf_printf(&t, "%s %s=%s\n", i == 0 ? "resource" : "        ",
                       published.attributes[i].key, published.attributes[i].value);
    if (!t.is_bad && t.len > 0)
        put_told(t.bytes, t.len);
    textbuf_done(&t);
    otel_process_done(&published);
}

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
    put_resource(jvm);
    return CMD_OK;
}

static int ask(struct attach *a, const struct jvm *jvm, void *with)
{
    const struct subject *subject = with;
    int status = subject ? CMD_OK : print_process(jvm);
    for (unsigned i = 0; i < SUBJECTS && status == CMD_OK; i++)
        if (subject ? subject == &subjects[i] : subjects[i].is_in_short)
            status = ask_one(a, jvm, subjects[i].command);
    say_redacted(jvm_target_name(jvm));
    return status;
}

/* ---- without the JVM's help */

static int put_text(struct outside_vm *vm, const char *title, char *text, int len)
{
    if (len < 0) {
        say("%s: the %s cannot be read", vm->name, title);
        return CMD_FAILED;
    }
    struct textbuf line = {0};
    textbuf_printf(&line, "%s: ", title);
    textbuf_bytes(&line, text, (size_t)len);
    textbuf_char(&line, '\n');
    if (!line.is_bad)
        put_told(line.bytes, line.len);
    textbuf_done(&line);
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
    struct textbuf line = {0};
    int len = 0;
    textbuf_printf(&line, "%s:", title);
    for (uint32_t i = 0; i < count && line.len < LIST_MAX && len >= 0; i++) {
        len = vm_start_item(&vm->target, list, i, text, VM_START_TEXT);
        if (len < 0)
            break;
        textbuf_char(&line, ' ');
        textbuf_bytes(&line, text, (size_t)len);
    }
    textbuf_char(&line, '\n');
    if (count > 0 && !line.is_bad)
        put_told(line.bytes, line.len);
    textbuf_done(&line);
    return len < 0 ? put_text(vm, title, text, len) : CMD_OK;
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
    say_redacted(vm->name);
    return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    const struct subject *subject = NULL;
    struct redact_text redact = {0};
    struct opts opts;
    redacted = &redact;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        int status = id < OPT_REDACT ? asking_take(&line, &opts, id)
                     : redact_text_option(&redact, "info", id - OPT_REDACT, opts.value) < 0
                         ? CMD_USAGE
                         : -1;
        if (status >= 0)
            return status;
    }
    if (asking_check(&line, 1) != 0)
        return CMD_USAGE;
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
