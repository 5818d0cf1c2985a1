/*
 * cmd_histo.c - `hprof histo TARGET|CORE`: the objects of a heap by class, as the JVM counts them,
 * or counted in its memory without its help. SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "heapimage/heapimage.h"
#include "jvm/asking.h"
#include "jvm/heap_outside.h"
#include "jvm/max_stop.h"
#include "jvm/jvm_target.h"
#include "command/opts.h"
#include "command/values.h"

enum { OPT_LIVE = ASKING_OPT_OWN, OPT_TOP, OPT_MAX_STOP, TOP_MAX = 10000000 };

static const struct opt options[] = {
    {OPT_LIVE, 0, "live", NULL, "only objects that can be reached; a JVM collects first"},
    {OPT_TOP, 'n', "top", "N", "so many classes (all)"},
    {OPT_MAX_STOP, 0, "max-stop", "TIME", MAX_STOP_HELP_ASKED},
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    ASKING_OUTSIDE_ROWS,
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

/* ---- without the JVM's help */

struct row {
    struct heap_find_sum sum;
    uint32_t class; /* index */
};

static int by_bytes(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->sum.bytes != y->sum.bytes)
        return x->sum.bytes < y->sum.bytes ? 1 : -1;
    return x->class < y->class ? -1 : x->class > y->class;
}

/* Prints the rows as HotSpot does. Source: heapInspection.cpp (KlassInfoHisto::print_histo_on). */
static void print_rows(const struct heapimage *h, const struct row *rows, uint32_t count,
                       uint32_t top)
{
    struct heap_find_sum all = {0, 0};
    char name[1024];
    printf(" num     #instances         #bytes  class name\n"
           "-------------------------------------------------------\n");
    for (uint32_t i = 0; i < count && rows[i].sum.objects > 0; i++) {
        all.objects += rows[i].sum.objects;
        all.bytes += rows[i].sum.bytes;
        if (i >= top)
            continue;
        bool is_class = rows[i].class < h->class_count &&
                        heapimage_class_name(h, rows[i].class, name, sizeof(name)) > 0;
        printf("%4u: %13" PRIu64 " %14" PRIu64 "  ", i + 1, rows[i].sum.objects, rows[i].sum.bytes);
        asking_put_line(is_class ? name : "<unknown class>");
    }
    printf("Total %13" PRIu64 " %14" PRIu64 "\n", all.objects, all.bytes);
}

static int count(struct heapimage *h, const char *name, void *with)
{
    const struct histo *histo = with;
    uint32_t rows_count = h->class_count + 1;
    struct heap_find_sum *sums = calloc(rows_count, sizeof(*sums));
    struct row *rows = calloc(rows_count, sizeof(*rows));
    int error = sums && rows ? heapimage_count(h, sums) : -ENOMEM;
    for (uint32_t i = 0; error == 0 && i < rows_count; i++)
        rows[i] = (struct row){sums[i], i};
    if (error == 0) {
        qsort(rows, rows_count, sizeof(*rows), by_bytes);
        print_rows(h, rows, rows_count, histo->top);
    }
    free(sums);
    free(rows);
    return error == 0 ? CMD_OK : heap_outside_say(name, h, error);
}

static int run_outside(const struct asking_line *line, struct histo *histo)
{
    const struct heap_outside how = {
        .is_live = histo->is_live, .max_stop_ns = histo->max_stop_ns, .job = count, .with = histo};
    return heap_outside_each(line, &how);
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
    if (status != 0)
        return status;
    return asking_is_outside(&line) ? run_outside(&line, &histo)
                                    : asking_each(&line.q, ask, &histo);
}

const struct cmd cmd_histo = {
    .name = "histo",
    .group = CMD_LOOKS,
    .help = "Count the objects in the heap of a JVM, alive or dead, by class",
    .operands = "TARGET|CORE",
    .needs = "a live JVM or a core file",
    .others = "jmap",
    .options = options,
    .run = run,
};
