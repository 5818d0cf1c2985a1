/*
 * cmd_set_flag.c - `hprof set-flag TARGET NAME=VALUE`: changes a flag of a running JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "jvm/asking.h"
#include "command/say.h"

static const struct opt options[] = {
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    {0},
};

/* JDK 8 accepts only 1 and 0 for a boolean flag, and says so. The value "true" may also be meant
 * for a flag of text, so the word is tried first. Returns whether the flag was set. */
static bool set_as_number(struct attach *a, const char *name, const char *value)
{
    const char *args[] = {name, value};
    struct attach_reply reply;
    bool is_word = strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
    bool is_wanted = is_word && attach_call(a, "setflag", args, 2, &reply) == ATTACH_OK;
    bool is_set = is_wanted && reply.code == 0;
    if (is_wanted && !is_set && strstr(reply.text, "boolean (1 or 0)")) {
        attach_reply_done(&reply);
        args[1] = strcmp(value, "true") == 0 ? "1" : "0";
        is_set = attach_call(a, "setflag", args, 2, &reply) == ATTACH_OK && reply.code == 0;
    }
    if (is_word)
        attach_reply_done(&reply);
    return is_set;
}

/* Splits NAME=VALUE, +NAME or -NAME (which the user can give after "--") into name and value. */
static int set(struct attach *a, const struct jvm *jvm, void *with)
{
    const char *word = with, *equals = strchr(word, '=');
    bool is_switch = *word == '+' || *word == '-';
    char *name = is_switch ? strdup(word + 1) : strndup(word, (size_t)(equals - word));
    const char *const args[] = {name, is_switch ? (*word == '+' ? "1" : "0") : equals + 1};
    struct attach_reply reply = {0};
    int status = CMD_FAILED;
    if (!name)
        say("set-flag: out of memory");
    else
        status = set_as_number(a, name, args[1]) ? CMD_OK
                                                 : asking_call(a, jvm, "setflag", args, 2, &reply);
    attach_reply_done(&reply);
    free(name);
    return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};

    int status = asking_read(&line, argc, argv, 2);
    if (status >= 0)
        return status;
    const char *word = line.count > 0 ? line.words[0] : "";
    if (line.count > 1) {
        say("set-flag: not also '%s'; a flag and its value are one word, as in %s=%s",
            line.words[1], word, line.words[1]);
        return CMD_USAGE;
    }
    const char *name = *word == '+' || *word == '-' ? word + 1 : word;
    if (*name == '\0' || *name == '=' || (name == word && !strchr(word, '='))) {
        say("set-flag: '%s': wanted is NAME=VALUE, +NAME or, after '--', -NAME", word);
        return CMD_USAGE;
    }
    return asking_each(&line.q, set, (void *)(uintptr_t)word);
}

const struct cmd cmd_set_flag = {
    .name = "set-flag",
    .group = CMD_ACTS,
    .help = "Change a flag of a running JVM, of those that may be changed",
    .operands = "TARGET NAME=VALUE|+NAME",
    .needs = "a live JVM",
    .options = options,
    .run = run,
};
