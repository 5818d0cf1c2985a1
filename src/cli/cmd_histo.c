/*
 * cmd_histo.c - `hprof histo TARGET`: the objects of a heap by class, as the JVM counts them.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "jvm/asking.h"
#include "jvm/max_stop.h"
#include "jvm/jvm_target.h"
#include "command/opts.h"
#include "command/values.h"

enum { OPT_LIVE = ASKING_OPT_OWN, OPT_TOP, OPT_MAX_STOP, TOP_MAX = 10000000 };

static const struct opt options[] = {
    {OPT_LIVE, 0, "live", NULL, "only objects that can be reached; a full collection comes first"},
    {OPT_TOP, 'n', "top", "N", "so many classes (all)"},
    {OPT_MAX_STOP, 0, "max-stop", "TIME", MAX_STOP_HELP_ASKED},
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    {0},
};

struct histo {
    bool is_live;
    uint32_t top;
    uint64_t max_stop_ns;
};

/* A row begins with its rank and a colon, as in "   1:". Rows after the first `top` rows are left
 * out. */
static void print_top(const struct attach_reply *reply, uint32_t top)
{
    uint32_t rows = 0;
    for (const char *line = reply->text, *end = line + reply->text_len; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        const char *p = line + strspn(line, " ");
        const char *colon = p + strspn(p, "0123456789");
        bool is_row = colon > p && *colon == ':';
        rows += is_row;
        if (!is_row || rows <= top)
            asking_put(line, (size_t)(next - line));
        line = next;
    }
}

static int ask(struct attach *a, const struct jvm *jvm, void *with)
{
    const struct histo *h = with;
    const char *const args[] = {h->is_live ? "-live" : "-all"};
    struct attach_reply reply;
    if (max_stop_check_heap(&a->counters.data, jvm_target_name(jvm), MAX_STOP_HISTO, h->is_live,
                            h->max_stop_ns, "") != CMD_OK)
        return CMD_FAILED;
    int status = asking_call(a, jvm, "inspectheap", args, 1, &reply);

    if (status == CMD_OK)
        print_top(&reply, h->top);
    attach_reply_done(&reply);
    return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    struct histo histo = {.top = UINT32_MAX, .max_stop_ns = max_stop_usual_ns};
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        int status = -1;
        if (id == OPT_LIVE)
            histo.is_live = true;
        else if (id == OPT_TOP)
            status =
                values_count(self, "top", opts.value, TOP_MAX, &histo.top) < 0 ? CMD_USAGE : -1;
        else if (id == OPT_MAX_STOP)
            status = max_stop_parse(self, opts.value, &histo.max_stop_ns) < 0 ? CMD_USAGE : -1;
        else
            status = asking_take(&line, &opts, id);
        if (status >= 0)
            return status;
    }
    int status = asking_check(&line, 0);
    return status != 0 ? status : asking_each(&line.q, ask, &histo);
}

const struct cmd cmd_histo = {
    .name = "histo",
    .group = CMD_LOOKS,
    .help = "Count the objects in the heap of a JVM by class",
    .operands = "TARGET",
    .needs = "a live JVM",
    .others = "jmap",
    .options = options,
    .run = run,
};
