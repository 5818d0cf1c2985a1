/*
 * cmd_listen.c - `hprof listen [HOST:]PORT`: receives the output of an agent with net=HOST:PORT.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <string.h>
#include "command/help.h"
#include "listen/listen.h"
#include "listen/listen_words.h"
#include "command/opts.h"
#include "command/say.h"
#include "command/values.h"

enum { OPT_OUTPUT = 1, OPT_COMMAND, OPT_KEEP, OPT_SHOW, OPT_WAIT };

static const struct opt options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE",
     "write what comes to FILE (hprof-ADDRESS-PORT.txt or .hprof)"},
    {OPT_COMMAND, 'c', "command", "LIST", "send these commands to each agent that connects"},
    {OPT_KEEP, 'k', "keep", NULL, "go on when an agent has ended, and take several at a time"},
    {OPT_SHOW, 's', "show", "WHAT", "print tables (the default), all, or nothing of what comes"},
    {OPT_WAIT, 'w', "wait", "TIME", "give up when no agent connects in this time"},
    {0},
};

static int set_show(const char *text, enum listen_peer_show *ret)
{
    static const char *const words[] = {[LISTEN_PEER_TABLES] = "tables",
                                        [LISTEN_PEER_ALL] = "all",
                                        [LISTEN_PEER_NOTHING] = "nothing"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(words[i], text) == 0) {
            *ret = (enum listen_peer_show)i;
            return 0;
        }
    }
    say("listen: --show '%s': tables, all or nothing is wanted", text);
    return -EINVAL;
}

/* Check the script before the command waits for an agent, so that an error is reported at once. */
static int check_script(const char *text)
{
    while (*text != '\0') {
        struct listen_words w;
        if (listen_words_next(&text, &w) < 0)
            return -EINVAL;
        if (w.kind == LISTEN_WORDS_HELP)
            listen_words_help(stderr);
    }
    return 0;
}

static int set_output(const char *text, const char **ret)
{
    size_t len = strlen(text);
    if (len == 0 || text[len - 1] == '/') {
        say("listen: --output '%s': name a file, as in --output profile.txt", text);
        return -EINVAL;
    }
    *ret = text;
    return 0;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct listen_request request = {.script = ""};
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id, r = 0; (id = opts_next(&opts)) != OPTS_END;) {
        switch (id) {
        case OPT_OUTPUT:
            r = set_output(opts.value, &request.output);
            break;
        case OPT_COMMAND:
            request.script = opts.value;
            r = check_script(opts.value);
            break;
        case OPT_KEEP:
            request.keep = true;
            break;
        case OPT_SHOW:
            r = set_show(opts.value, &request.show);
            break;
        case OPT_WAIT:
            r = values_duration(self, "wait", opts.value, &request.wait_ns);
            break;
        case OPTS_WORD:
            if (request.address) {
                say("listen: one address only: '%s' and '%s'", request.address, opts.value);
                return CMD_USAGE;
            }
            request.address = opts.value;
            break;
        case OPTS_HELP:
            help_cmd(stdout, self);
            return CMD_OK;
        default:
            return CMD_USAGE;
        }
        if (r < 0)
            return CMD_USAGE;
    }
    if (!request.address) {
        say("listen: no port; usage: hprof listen [OPTION...] %s", self->operands);
        return CMD_USAGE;
    }
    int error = listen_serve(&request);
    return error == -EINVAL ? CMD_USAGE : error < 0 ? CMD_FAILED : CMD_OK;
}

const struct cmd cmd_listen = {
    .name = "listen",
    .group = CMD_RECORDS,
    .help = "Receive the profile of an agent with net=, and send it commands",
    .operands = "[HOST:]PORT",
    .needs = "a JVM with the agent and net=HOST:PORT",
    .options = options,
    .run = run,
};
