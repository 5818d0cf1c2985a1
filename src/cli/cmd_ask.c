/*
 * cmd_ask.c - `hprof stop`, `dump` and `status TARGET [NAME]`: send their own name as a word to the
 * agent in a JVM and print its answer.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <stdio.h>
#include <string.h>
#include "jvm/agent_link.h"
#include "jvm/asking.h"
#include "command/opts.h"
#include "command/say.h"

enum { OPT_NAME = ASKING_OPT_TIMEOUT + 1 };

enum { NAME_MAX_BYTES = 900, COMMAND_BYTES = 1024 };

static const struct opt options[] = {
    {OPT_NAME, 0, "name", "NAME", "the recording of this name, or number; as a word behind TARGET"},
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    {0},
};

/* An answer is one line of text, followed by one line for each recording. Tabs separate the
 * lines. */
static void put_answer(char *answer)
{
    for (char *rest = answer, *part; (part = strsep(&rest, "\t")) != NULL;) {
        if (part != answer)
            fputs("  ", stdout);
        asking_put_line(part);
    }
}

static int ask(struct attach *a, const struct jvm *jvm, void *with)
{
    const struct asking_line *line = with;
    char command[COMMAND_BYTES];
    struct agent_link link;
    int status = agent_link_open_loaded(&link, a, jvm);
    if (status != CMD_OK)
        return status;
    /* The agent finds a recording by its name or by its number. */
    const char *name = line->count > 0 ? line->words[0] : NULL;
    bool is_number = name && name[strspn(name, "0123456789")] == '\0';
    snprintf(command, sizeof(command), "%s%s%s", line->q.cmd->name,
             !name       ? ""
             : is_number ? ",id="
                         : ",name=",
             name ? name : "");
    status = agent_link_send(&link, command);
    if (status == CMD_OK)
        put_answer(link.answer);
    else if (link.end == AGENT_LINK_GONE)
        say("%d: the JVM has ended", (int)jvm->process.pid);
    agent_link_close(&link);
    return status;
}

/* The recording is named by --name, as in `hprof start`, or by a word after the target. */
static int read_line(struct asking_line *line, int argc, char **argv)
{
    const char *name = NULL;
    struct opts opts;
    int status = -1;
    opts_init(&opts, line->q.cmd, argc, argv);
    for (int id; status < 0 && (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPT_NAME)
            name = opts.value;
        else
            status = asking_take(line, &opts, id);
    }
    if (status < 0)
        status = asking_check(line, name ? 0 : 1) != 0 ? CMD_USAGE : -1;
    if (name)
        line->words[line->count++] = name;
    return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    int status = read_line(&line, argc, argv);
    const char *name = line.words[0];
    if (status < 0 && name && (strlen(name) > NAME_MAX_BYTES || strchr(name, ','))) {
        say("%s: '%s' is the name of no recording", self->name, name);
        status = CMD_USAGE;
    }
    return status >= 0 ? status : asking_each(&line.q, ask, &line);
}

/* Their names are the agent's words. */
#define ASK(word, what)                                                                            \
    const struct cmd cmd_##word = {                                                                \
        .name = #word,                                                                             \
        .group = CMD_RECORDS,                                                                      \
        .help = (what),                                                                            \
        .operands = "TARGET [NAME]",                                                               \
        .needs = "a live JVM",                                                                     \
        .options = options,                                                                        \
        .run = run,                                                                                \
    }

ASK(stop, "Have a running JVM end a recording and write it");
ASK(dump, "Have a running JVM write what is recorded so far; the recording goes on");
ASK(status, "Say what a running JVM records");
