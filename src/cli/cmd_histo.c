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
#include "command/tabular.h"
#include "command/values.h"

enum { OPT_LIVE = ASKING_OPT_OWN, OPT_TOP, OPT_MAX_STOP, OPT_SORT, OPT_FORMAT, TOP_MAX = 10000000 };

static const struct opt options[] = {
    {OPT_LIVE, 0, "live", NULL, "only objects that can be reached; a JVM collects first"},
    {OPT_TOP, 'n', "top", "N", "so many classes (all)"},
    {OPT_SORT, 0, "sort", "COLUMN", TABULAR_SORT_HELP},
    {OPT_FORMAT, 0, "format", "NAME", TABULAR_FORMAT_HELP},
    {OPT_MAX_STOP, 0, "max-stop", "TIME", MAX_STOP_HELP_ASKED},
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    ASKING_OUTSIDE_ROWS,
    {0},
};

#define NO_TIME                                                                                    \
    "objects are counted as they are now; a span of time is for recordings, with 'hprof report' "  \
    "and 'hprof jfr view'"
static const struct opt_refused refused[] = {{"from", NO_TIME}, {"to", NO_TIME}, {0}};

struct histo {
    bool is_live;
    uint32_t top;
    uint64_t max_stop_ns;
    struct tabular_how how;
    struct tabular_out out;
};

static void begin_table(struct tabular *t)
{
    t->name = "histo";
    tabular_columns(t, "class objects bytes module");
}

/* ---- the table of a JVM
 *
 * Source: heapInspection.cpp (KlassInfoEntry::print_on, KlassInfoHisto::print_title). */

/* A line of the JVM's text. */
struct line {
    const char *at;
    size_t len;     /* with the line end */
    const char *on; /* of a row, what follows the rank and its colon; NULL: it is no row */
};

/* Reads the line at *at and moves *at behind it. Returns false at the end. A row begins with its
 * rank and a colon, as in "   1:". */
static bool next_line(const char **at, const char *end, struct line *ret)
{
    if (*at >= end)
        return false;
    const char *next = memchr(*at, '\n', (size_t)(end - *at));
    next = next ? next + 1 : end;
    const char *p = *at + strspn(*at, " ");
    const char *colon = p + strspn(p, "0123456789");
    *ret = (struct line){.at = *at, .len = (size_t)(next - *at)};
    ret->on = colon > p && *colon == ':' ? colon + 1 : NULL;
    *at = next;
    return true;
}

/* Adds "   1234   56789  [B (java.base@17)". */
static void add_row(struct tabular *t, const struct line *line)
{
    char *end;
    uint64_t objects = strtoull(line->on, &end, 10), bytes = strtoull(end, &end, 10);
    const char *name = end + strspn(end, " ");
    size_t len = (size_t)(line->at + line->len - name);
    while (len > 0 && (name[len - 1] == '\n' || name[len - 1] == ' '))
        len--;
    const char *open = len > 0 && name[len - 1] == ')' ? memmem(name, len, " (", 2) : NULL;
    tabular_bytes(t, name, open ? (size_t)(open - name) : len);
    tabular_unsigned(t, objects);
    tabular_unsigned(t, bytes);
    if (open)
        tabular_bytes(t, open + 2, len - (size_t)(open - name) - 3);
    else
        tabular_nothing(t);
}

/* Prints the JVM's text with its rows in the order of the table, numbered again. */
static void print_sorted(const struct attach_reply *reply, const struct tabular *t, uint32_t top)
{
    const char *at = reply->text, *end = at + reply->text_len;
    size_t count = tabular_rows(t), shown = top < count ? top : count;
    struct line line, *rows = calloc(count + 1, sizeof(*rows));
    size_t row = 0;
    for (; rows && next_line(&at, end, &line);) {
        if (line.on) {
            if (row < count)
                rows[row++] = line;
            if (row < count)
                continue;
            for (size_t i = 0; i < shown; i++) {
                const struct line *l = &rows[tabular_at(t, i)];
                printf("%4zu:", i + 1);
                asking_put(l->on, l->len - (size_t)(l->on - l->at));
            }
        } else {
            asking_put(line.at, line.len);
        }
    }
    free(rows);
}

/* Rows after the first `top` rows are left out. */
static void print_top(const struct attach_reply *reply, uint32_t top)
{
    const char *at = reply->text, *end = at + reply->text_len;
    uint32_t rows = 0;
    for (struct line line; next_line(&at, end, &line);) {
        rows += line.on != NULL;
        if (!line.on || rows <= top)
            asking_put(line.at, line.len);
    }
}

/* Takes the table of one JVM. Returns an exit status. */
static int place(struct histo *h, struct tabular *t, const struct attach_reply *reply)
{
    int status = CMD_OK;
    bool is_text = tabular_place(&h->out, t, h->top == UINT32_MAX ? 0 : h->top);
    if (is_text && tabular_check(&h->out) < 0)
        status = CMD_USAGE;
    else if (is_text)
        print_sorted(reply, t, h->top);
    return status;
}

static int show(struct histo *h, const struct jvm *jvm, const struct attach_reply *reply)
{
    char pid[16];
    const char *at = reply->text, *end = at + reply->text_len;
    struct tabular t = {0};
    struct line line;
    if (!tabular_wants_rows(&h->how)) {
        print_top(reply, h->top);
        return CMD_OK;
    }
    snprintf(pid, sizeof(pid), "%d", (int)jvm->process.pid);
    h->out.input = pid;
    begin_table(&t);
    while (next_line(&at, end, &line))
        if (line.on)
            add_row(&t, &line);
    int status = place(h, &t, reply);
    tabular_done(&t);
    return status;
}

static int ask(struct attach *a, const struct jvm *jvm, void *with)
{
    struct histo *h = with;
    const char *const args[] = {h->is_live ? "-live" : "-all"};
    struct attach_reply reply;
    if (max_stop_check_heap(&a->counters.data, jvm_target_name(jvm), MAX_STOP_HISTO, h->is_live,
                            h->max_stop_ns, "") != CMD_OK)
        return CMD_FAILED;
    int status = asking_call(a, jvm, "inspectheap", args, 1, &reply);

    if (status == CMD_OK)
        status = show(h, jvm, &reply);
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

static const char *name_of(const struct heapimage *h, uint32_t class, char *name, size_t room)
{
    bool is_class = class < h->class_count && heapimage_class_name(h, class, name, room) > 0;
    return is_class ? name : "<unknown class>";
}

/* Prints the rows as HotSpot does. Source: heapInspection.cpp (KlassInfoHisto::print_histo_on). */
static void print_rows(const struct heapimage *h, const struct row *rows, const struct tabular *t,
                       uint32_t top)
{
    struct heap_find_sum all = {0, 0};
    char name[1024];
    printf(" num     #instances         #bytes  class name\n"
           "-------------------------------------------------------\n");
    for (uint32_t i = 0; i < tabular_rows(t); i++) {
        const struct row *row = &rows[tabular_at(t, i)];
        all.objects += row->sum.objects;
        all.bytes += row->sum.bytes;
        if (i >= top)
            continue;
        printf("%4u: %13" PRIu64 " %14" PRIu64 "  ", i + 1, row->sum.objects, row->sum.bytes);
        asking_put_line(name_of(h, row->class, name, sizeof(name)));
    }
    printf("Total %13" PRIu64 " %14" PRIu64 "\n", all.objects, all.bytes);
}

/* Shows the rows that have objects; they come first. Returns an exit status. */
static int show_rows(const struct heapimage *h, struct histo *histo, const char *label,
                     const struct row *rows, uint32_t count)
{
    struct tabular t = {0};
    char name[1024];
    int status = CMD_OK;
    histo->out.input = label;
    begin_table(&t);
    for (uint32_t i = 0; i < count && rows[i].sum.objects > 0; i++) {
        tabular_text(&t, name_of(h, rows[i].class, name, sizeof(name)));
        tabular_unsigned(&t, rows[i].sum.objects);
        tabular_unsigned(&t, rows[i].sum.bytes);
        tabular_nothing(&t);
    }
    bool is_text = tabular_place(&histo->out, &t, histo->top == UINT32_MAX ? 0 : histo->top);
    if (is_text && tabular_check(&histo->out) < 0)
        status = CMD_USAGE;
    else if (is_text)
        print_rows(h, rows, &t, histo->top);
    tabular_done(&t);
    return status;
}

static int count(struct heapimage *h, const char *name, void *with)
{
    struct histo *histo = with;
    uint32_t rows_count = h->class_count + 1;
    struct heap_find_sum *sums = calloc(rows_count, sizeof(*sums));
    struct row *rows = calloc(rows_count, sizeof(*rows));
    int error = sums && rows ? heapimage_count(h, sums) : -ENOMEM, status = CMD_OK;
    for (uint32_t i = 0; error == 0 && i < rows_count; i++)
        rows[i] = (struct row){sums[i], i};
    if (error == 0) {
        qsort(rows, rows_count, sizeof(*rows), by_bytes);
        status = show_rows(h, histo, name, rows, rows_count);
    }
    free(sums);
    free(rows);
    return error == 0 ? status : heap_outside_say(name, h, error);
}

static int run_outside(const struct asking_line *line, struct histo *histo)
{
    const struct heap_outside how = {
        .is_live = histo->is_live, .max_stop_ns = histo->max_stop_ns, .job = count, .with = histo};
    return heap_outside_each(line, &how);
}

/* Takes an option of this command. Returns an exit status if the command ends here, else a negative
 * number. */
static int take(struct histo *h, struct asking_line *line, const struct opts *opts, int id)
{
    const struct cmd *self = line->q.cmd;
    const char *value = opts->value;
    switch (id) {
    case OPT_LIVE:
        h->is_live = true;
        return -1;
    case OPT_TOP:
        return values_count(self, "top", value, TOP_MAX, &h->top) < 0 ? CMD_USAGE : -1;
    case OPT_SORT:
        return tabular_take_sort(self->name, value, &h->how.sort) < 0 ? CMD_USAGE : -1;
    case OPT_FORMAT:
        return tabular_take_form(self->name, value, &h->how.form) < 0 ? CMD_USAGE : -1;
    case OPT_MAX_STOP:
        return max_stop_parse(self, value, &h->max_stop_ns) < 0 ? CMD_USAGE : -1;
    default:
        return asking_take(line, opts, id);
    }
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    struct histo histo = {.top = UINT32_MAX, .max_stop_ns = max_stop_usual_ns};
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        int status = take(&histo, &line, &opts, id);
        if (status >= 0)
            return status;
    }
    int status = asking_check(&line, 0);
    if (status != 0)
        return status;
    line.q.is_data = tabular_is_data(&histo.how);
    histo.out = (struct tabular_out){
        .how = &histo.how, .command = self->name, .has_inputs = jvm_target_is_all(line.q.target)};
    status =
        asking_is_outside(&line) ? run_outside(&line, &histo) : asking_each(&line.q, ask, &histo);
    int error = status == CMD_USAGE ? 0 : tabular_finish(&histo.out);
    tabular_drop(&histo.out);
    return tabular_status(error, status);
}

const struct cmd cmd_histo = {
    .name = "histo",
    .group = CMD_LOOKS,
    .help = "Count the objects in the heap of a JVM, alive or dead, by class",
    .operands = "TARGET|CORE",
    .needs = "a live JVM or a core file",
    .others = "jmap",
    .options = options,
    .refuses = refused,
    .run = run,
};
