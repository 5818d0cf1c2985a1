/*
 * cmd_ps.c - `hprof ps`: the JVMs of this machine.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include "command/help.h"
#include "jvm/jvm_list.h"
#include "command/opts.h"
#include "command/redact_text.h"
#include "command/say.h"

enum {
    OPT_QUIET = 1,
    OPT_FULL,
    OPT_ARGS,
    OPT_VM_ARGS,
    OPT_VM_FLAGS,
    OPT_JPS,
    OPT_JSON,
    OPT_REDACT
};

static const struct opt options[] = {
    {OPT_FULL, 'l', "full", NULL, "the main class with its packages, the jar with its folders"},
    {OPT_ARGS, 'm', "arguments", NULL, "also the arguments of the main class"},
    {OPT_VM_ARGS, 'v', "vm-arguments", NULL, "also the options of the VM"},
    {OPT_VM_FLAGS, 'V', "vm-flags", NULL, "also those from a flags file (.hotspotrc)"},
    {OPT_QUIET, 'q', "quiet", NULL, "numbers of processes only"},
    {OPT_JPS, 0, "jps", NULL, "number and name only, as the JDK's jps prints them"},
    {OPT_JSON, 0, "json", NULL, "print JSON"},
    REDACT_TEXT_ROWS(OPT_REDACT),
    {0},
};

static int run(const struct cmd *self, int argc, char **argv)
{
    struct redact_text redact = {0};
    struct jvm_list l = {.redact = &redact};
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        switch (id) {
        case OPT_QUIET:
            l.is_quiet = true;
            break;
        case OPT_FULL:
            l.is_full = true;
            break;
        case OPT_ARGS:
            l.has_args = true;
            break;
        case OPT_VM_ARGS:
            l.has_vm_args = true;
            break;
        case OPT_VM_FLAGS:
            l.has_vm_flags = true;
            break;
        case OPT_JPS:
            l.is_plain = true;
            break;
        case OPT_JSON:
            l.is_json = true;
            break;
        case OPT_REDACT + REDACT_TEXT_KEY:
        case OPT_REDACT + REDACT_TEXT_ARGUMENT:
        case OPT_REDACT + REDACT_TEXT_OFF:
            if (redact_text_option(&redact, "ps", id - OPT_REDACT, opts.value) < 0)
                return CMD_USAGE;
            break;
        case OPTS_WORD:
            say("ps: takes no argument, not '%s'; other machines are not asked", opts.value);
            return CMD_USAGE;
        case OPTS_HELP:
            help_cmd(stdout, self);
            return CMD_OK;
        default:
            return CMD_USAGE;
        }
    }
    return jvm_list_print(&l);
}

const struct cmd cmd_ps = {
    .name = "ps",
    .group = CMD_LOOKS,
    .help = "List the JVMs of this machine",
    .operands = "",
    .options = options,
    .run = run,
};
