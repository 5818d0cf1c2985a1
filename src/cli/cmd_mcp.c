/*
 * cmd_mcp.c - `hprof mcp`: a server of the Model Context Protocol on standard input and output.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "command/help.h"
#include "command/opts.h"
#include "command/say.h"
#include "command/values.h"
#include "mcp/mcp.h"
#include "mcp/mcp_jvm.h"
#include "safe/clock.h"

enum {
    OPT_ROOT = 1,
    OPT_ALLOW,
    OPT_TARGET,
    OPT_ANSWER,
    OPT_TIMEOUT,
    ANSWER_USUAL = 64 << 10,
    ANSWER_LEAST = 1 << 10,
    ANSWER_MOST = 4 << 20,
    TIMEOUT_S = 300,
};

static const struct opt options[] = {
    {OPT_ROOT, 0, "root", "DIR", "the folder whose files can be read (the working folder)"},
    {OPT_ALLOW, 0, "allow", "WORD,...",
     "what else tools may do: stop, attach, record, dump (nothing)"},
    {OPT_TARGET, 0, "target", "PATTERN",
     "the JVMs that tools may reach, by class, jar or number; may be given again"},
    {OPT_ANSWER, 0, "answer", "SIZE", "so much of an answer is shown at once (64k)"},
    {OPT_TIMEOUT, 0, "timeout", "TIME", "end a tool that takes longer (5m)"},
    {0},
};

struct request {
    struct mcp_how how;
    const char *root;
    const char **targets;
    size_t target_count;
};

/* Takes "stop,attach". */
static int allow(struct request *r, const char *words)
{
    while (*words != '\0') {
        size_t len = strcspn(words, ",");
        bool is_known = false;
        for (int need = 0; need < MCP_NEEDS; need++) {
            const char *word = mcp_tool_need_word((enum mcp_need)need);
            if (!word || strlen(word) != len || strncmp(word, words, len) != 0)
                continue;
            r->how.allowed |= 1u << need;
            is_known = true;
        }
        if (!is_known) {
            say("mcp: --allow: '%.*s' is none of stop, attach, record, dump", (int)len, words);
            return E_SYNTAX;
        }
        words += len + (words[len] == ',');
    }
    return 0;
}

static int take_answer(struct request *r, const struct cmd *self, const char *value)
{
    uint64_t bytes = 0;
    if (values_size(self, "answer", value, &bytes) < 0)
        return E_SYNTAX;
    if (bytes < ANSWER_LEAST || bytes > ANSWER_MOST) {
        say("mcp: --answer %s: from 1k to 4m is wanted", value);
        return E_SYNTAX;
    }
    r->how.answer_bytes = (size_t)bytes;
    return 0;
}

static int take_option(struct request *r, const struct cmd *self, int id, const char *value)
{
    switch (id) {
    case OPT_ROOT:
        r->root = value;
        return 0;
    case OPT_ALLOW:
        return allow(r, value);
    case OPT_TARGET:
        r->targets[r->target_count++] = value;
        return 0;
    case OPT_ANSWER:
        return take_answer(r, self, value);
    case OPT_TIMEOUT:
        return values_seconds(self, "timeout", value, &r->how.timeout_ns);
    case OPTS_WORD:
        say("mcp: it takes no '%s': what is asked comes over standard input", value);
        return E_SYNTAX;
    default:
        return E_SYNTAX;
    }
}

static int serve(struct request *r)
{
    const char *tmp = getenv("TMPDIR");
    if (r->target_count == 0 && (r->how.allowed & ~(1u << MCP_READS | 1u << MCP_LOOKS)) != 0) {
        say("mcp: --allow needs --target: say which JVMs; --target '*' is all of them");
        return CMD_USAGE;
    }
    r->how.reach.root = open(r->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (r->how.reach.root < 0) {
        say("mcp: --root %s: %s", r->root, err_text(-errno));
        return CMD_FAILED;
    }
    r->how.reach.tmp = tmp && *tmp ? tmp : "/var/tmp";
    r->how.reach.targets = r->target_count > 0 ? r->targets : NULL;
    int error = mcp_serve(&r->how);
    close(r->how.reach.root);
    if (error < 0)
        say("mcp: %s", err_text(error));
    return error < 0 ? CMD_FAILED : CMD_OK;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {.how = {.program = "/proc/self/exe",
                                .reach = {.find = mcp_jvm_find},
                                .allowed = 1u << MCP_READS | 1u << MCP_LOOKS,
                                .answer_bytes = ANSWER_USUAL,
                                .timeout_ns = (uint64_t)TIMEOUT_S * NS_PER_S,
                                .in = STDIN_FILENO,
                                .out = STDOUT_FILENO},
                        .root = ".",
                        .targets = calloc((size_t)argc + 1, sizeof(*r.targets))};
    int status = CMD_USAGE;
    struct opts opts;
    if (!r.targets)
        return CMD_FAILED;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            status = CMD_OK;
            goto out;
        }
        if (id == OPTS_ERROR || take_option(&r, self, id, opts.value) < 0)
            goto out;
    }
    status = serve(&r);
out:
    free(r.targets);
    return status;
}

const struct cmd cmd_mcp = {
    .name = "mcp",
    .group = CMD_ACTS,
    .help = "Let an AI assistant ask about JVMs, recordings and heaps, over standard input",
    .operands = "",
    .options = options,
    .run = run,
};
