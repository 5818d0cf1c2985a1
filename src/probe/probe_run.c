/*
 * probe_run.c - see probe_run.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_run.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/sink.h"
#include "format/json_out.h"
#include "jvm/stack_print.h"
#include "probe/probe_counts.h"
#include "probe/probe_hit.h"
#include "probe/probe_record.h"
#include "probe/probe_ring.h"
#include "probe/probe_sites.h"
#include "safe/clock.h"
#include "snapshot/copied_stack.h"

enum {
    WAIT_MS = 100,
    VALUES_MOST = 4096, /* values of --by that are told apart */
    NAME_MOST = 160,
};

/* A line of the table of `count`: a probe, or one value of a field. */
struct line {
    char name[NAME_MOST];
    struct probe_hit_value value; /* of `by` */
    uint64_t hits;
};

/* A hit of a trace that waits until all processors were read. Its line is `text`. */
struct waiting {
    uint64_t time_ns;
    char *text;
    size_t len;
};

struct run {
    const struct probe_run *how;
    struct probe_sites *sites;
    struct probe_hit_form *forms; /* by index of the site */
    struct probe_ring ring;
    struct probe_counts *counts;
    struct sink *out;
    struct line *lines;
    uint32_t line_count;
    uint64_t more; /* hits whose value found no line */
    struct waiting *waiting;
    uint32_t waiting_count, waiting_room;
    struct copied_stack *stacks; /* NULL: no frames */
    struct probe_record *record; /* NULL: text */
    uint64_t begin_ns, second, this_second;
};

/* ---- the probes */

static int make_forms(struct run *r)
{
    r->forms = calloc(r->sites->count + (size_t)1, sizeof(*r->forms));
    if (!r->forms)
        return -ENOMEM;
    for (uint32_t i = 0; i < r->sites->count; i++) {
        const struct probe_site *site = &r->sites->rows[i];
        struct probe_hit_form *form = &r->forms[i];
        if (!probe_sites_is_named(site, r->how->names, r->how->count))
            continue;
        if (!site->is_usable) {
            r->counts->unusable++;
            continue;
        }
        r->counts->sites++;
        probe_hit_form(site->at.provider, site->at.name, site->at.args,
                       r->sites->files[site->file].elf.machine, form);
        for (unsigned f = 0; r->how->by && f < form->count; f++)
            r->counts->has_by |= strcmp(form->fields[f].known.name, r->how->by) == 0;
    }
    if (r->counts->sites > 0)
        return r->how->by && !r->counts->has_by ? E_NOT_FOUND : 0;
    return r->counts->unusable > 0 ? E_UNSUPPORTED : E_NOT_FOUND;
}

static int put_probes(struct run *r)
{
    uint64_t registers = 0;
    uint32_t stack_bytes = r->how->stack_bytes & ~UINT32_C(7);
    for (uint32_t i = 0; i < r->sites->count; i++) {
        registers |= r->forms[i].registers;
        if (r->forms[i].has_stack && stack_bytes < PROBE_RING_STACK)
            stack_bytes = PROBE_RING_STACK;
    }
    if (r->how->stack_bytes)
        registers |= probe_ring_walk_registers();
    int error = probe_ring_open(&r->ring, registers, stack_bytes);
    for (uint32_t i = 0; i < r->sites->count && !error; i++) {
        const struct probe_site *site = &r->sites->rows[i];
        if (r->forms[i].name)
            error = probe_ring_add(&r->ring, r->sites->files[site->file].path, site->at.offset,
                                   site->at.semaphore, i);
    }
    return error;
}

static int open_stacks(struct run *r)
{
    if (!r->how->stack_bytes)
        return 0;
    r->stacks = malloc(sizeof(*r->stacks));
    return r->stacks ? copied_stack_open(&r->sites->live, r->sites->files[0].elf.machine, r->stacks,
                                         &r->counts->missing)
                     : -ENOMEM;
}

static int open_record(struct run *r)
{
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): probe_run_do() frees the forms */
    return r->how->is_recorded ? probe_record_open(r->out, r->forms, r->sites->count,
                                                   r->how->stack_bytes > 0, &r->record)
                               : 0;
}

/* ---- count */

static bool is_value(const struct probe_hit_value *a, const struct probe_hit_value *b)
{
    if (a->is != b->is)
        return false;
    return a->is == PROBE_HIT_TEXT_VALUE ? a->len == b->len && memcmp(a->text, b->text, a->len) == 0
                                         : a->is == PROBE_HIT_NONE || a->number == b->number;
}

static void count_line(struct run *r, const struct probe_hit_form *form,
                       const struct probe_hit_value *value)
{
    char name[NAME_MOST];
    snprintf(name, sizeof(name), "%s:%s", form->provider, form->name);
    for (uint32_t i = 0; i < r->line_count; i++)
        if (strcmp(r->lines[i].name, name) == 0 && is_value(&r->lines[i].value, value)) {
            r->lines[i].hits++;
            return;
        }
    if (r->line_count == VALUES_MOST) {
        r->more++;
        return;
    }
    struct line *line = &r->lines[r->line_count++];
    memcpy(line->name, name, sizeof(name));
    line->value = *value;
    line->hits = 1;
}

static int more_hits(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    return a->hits < b->hits ? 1 : a->hits > b->hits ? -1 : strcmp(a->name, b->name);
}

static void put_count(const struct run *r, const struct line *line)
{
    const struct probe_run *how = r->how;
    if (how->is_json) {
        sink_text(r->out, "{\"probe\":");
        json_out_text(r->out, line->name, strlen(line->name));
        if (how->by) {
            sink_u1(r->out, ',');
            json_out_text(r->out, how->by, strlen(how->by));
            sink_u1(r->out, ':');
            probe_hit_put(r->out, &line->value, true);
        }
        sink_printf(r->out, ",\"hits\":%llu}\n", (unsigned long long)line->hits);
        return;
    }
    sink_printf(r->out, "%12llu  %s", (unsigned long long)line->hits, line->name);
    if (how->by) {
        sink_printf(r->out, "  %s=", how->by);
        probe_hit_put(r->out, &line->value, false);
    }
    sink_u1(r->out, '\n');
}

static void put_counts(struct run *r)
{
    qsort(r->lines, r->line_count, sizeof(*r->lines), more_hits);
    for (uint32_t i = 0; i < r->line_count; i++)
        put_count(r, &r->lines[i]);
    if (r->more && !r->how->is_json)
        sink_printf(r->out, "%12llu  of other values\n", (unsigned long long)r->more);
}

static void count_hit(struct run *r, const struct probe_hit_form *form,
                      const struct probe_ring_hit *hit)
{
    struct probe_hit_value value = {.is = PROBE_HIT_NONE};
    for (unsigned i = 0; r->how->by && i < form->count; i++)
        if (strcmp(form->fields[i].known.name, r->how->by) == 0)
            probe_hit_value(form, i, hit, &r->sites->live, &value);
    count_line(r, form, &value);
}

/* ---- trace */

/* Walk the stack of a hit. Returns whether there are frames. */
static bool walk_hit(struct run *r, const struct probe_ring_hit *hit,
                     struct copied_stack_result *ret)
{
    struct copied_stack_of of = {
        .tid = hit->tid, .time_ns = hit->time_ns, .bytes = hit->stack, .len = hit->stack_bytes};
    if (!r->stacks || !probe_ring_regs(hit, &of.regs) ||
        copied_stack_walk(r->stacks, &of, ret) != 0)
        return false;
    r->counts->walked++;
    r->counts->cut += ret->is_cut;
    r->counts->frozen += ret->is_frozen;
    r->counts->broken += ret->is_broken;
    return true;
}

/* Write the frames as `hprof stack` does: lines, or a member of the hit's object. */
static void put_frames(struct sink *out, const struct copied_stack_result *stack, bool is_json)
{
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    if (!to)
        return;
    for (uint32_t i = 0; i < stack->count; i++) {
        if (is_json && i > 0)
            putc(',', to);
        if (is_json)
            stack_print_frame_json(to, &stack->frames[i]);
        else
            stack_print_frame(to, &stack->frames[i]);
    }
    if (!is_json && (stack->is_cut || stack->is_broken))
        fputs(stack->is_cut ? "\t... (the copied stack ends here)\n"
                            : "\t... (callers are not known)\n",
              to);
    if (fclose(to) == 0)
        sink_bytes(out, text, len);
    free(text);
}

static void put_stack(struct sink *out, struct run *r, const struct probe_ring_hit *hit)
{
    struct copied_stack_result stack;
    bool is_walked = walk_hit(r, hit, &stack);
    if (!r->how->is_json) {
        if (is_walked && stack.thread_name) {
            sink_text(out, "  thread=");
            sink_text(out, stack.thread_name);
        }
        sink_text(out, "\n");
        if (is_walked)
            put_frames(out, &stack, false);
        return;
    }
    if (is_walked && stack.thread_name) {
        sink_text(out, ",\"thread_name\":");
        json_out_text(out, stack.thread_name, strlen(stack.thread_name));
    }
    sink_text(out, ",\"stack\":[");
    if (is_walked)
        put_frames(out, &stack, true);
    sink_printf(out, "],\"stack_is_whole\":%s}\n",
                is_walked && !stack.is_cut && !stack.is_frozen && !stack.is_broken ? "true"
                                                                                   : "false");
}

static void put_hit(struct sink *out, struct run *r, const struct probe_hit_form *form,
                    const struct probe_ring_hit *hit)
{
    bool is_json = r->how->is_json;
    if (is_json) {
        sink_printf(out, "{\"time_ns\":%llu,\"tid\":%d,\"probe\":\"",
                    (unsigned long long)hit->time_ns, (int)hit->tid);
        sink_printf(out, "%s:%s\"", form->provider, form->name);
    } else {
        uint64_t since = hit->time_ns > r->begin_ns ? hit->time_ns - r->begin_ns : 0;
        sink_printf(out, "%10.6f %7d %s:%s", (double)since / 1e9, (int)hit->tid, form->provider,
                    form->name);
    }
    for (unsigned i = 0; i < form->count; i++) {
        struct probe_hit_value value;
        probe_hit_value(form, i, hit, &r->sites->live, &value);
        sink_printf(out, is_json ? ",\"%s\":" : "  %s=", form->fields[i].known.name);
        probe_hit_put(out, &value, is_json);
    }
    if (r->how->stack_bytes)
        put_stack(out, r, hit);
    else
        sink_text(out, is_json ? "}\n" : "\n");
}

static void record_hit(struct run *r, const struct probe_hit_form *form,
                       const struct probe_ring_hit *hit)
{
    struct probe_hit_value values[PROBE_HIT_FIELDS] = {{.is = PROBE_HIT_NONE}};
    struct copied_stack_result stack;
    for (unsigned i = 0; i < form->count; i++)
        probe_hit_value(form, i, hit, &r->sites->live, &values[i]);
    bool is_walked = r->how->stack_bytes && walk_hit(r, hit, &stack);
    probe_record_add(r->record, hit->site, hit, values, is_walked ? &stack : NULL);
}

static int keep_text(void *to, const unsigned char *bytes, size_t len)
{
    struct waiting *w = to;
    char *text = realloc(w->text, w->len + len);
    if (!text)
        return -ENOMEM;
    memcpy(text + w->len, bytes, len);
    w->text = text;
    w->len += len;
    return 0;
}

static void trace_hit(struct run *r, const struct probe_hit_form *form,
                      const struct probe_ring_hit *hit)
{
    struct sink line;
    if (r->waiting_count == r->waiting_room) {
        uint32_t room = r->waiting_room ? r->waiting_room * 2 : 256;
        struct waiting *more = reallocarray(r->waiting, room, sizeof(*more));
        if (!more) {
            r->counts->dropped++;
            return;
        }
        r->waiting = more;
        r->waiting_room = room;
    }
    struct waiting *w = &r->waiting[r->waiting_count];
    *w = (struct waiting){.time_ns = hit->time_ns};
    if (sink_init_taker(&line, keep_text, w) != 0) {
        r->counts->dropped++;
        return;
    }
    put_hit(&line, r, form, hit);
    if (sink_done(&line) == 0)
        r->waiting_count++;
    else
        free(w->text);
}

static int by_time(const void *left, const void *right)
{
    const struct waiting *a = left, *b = right;
    return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

static void put_waiting(struct run *r)
{
    if (r->waiting_count == 0)
        return;
    qsort(r->waiting, r->waiting_count, sizeof(*r->waiting), by_time);
    for (uint32_t i = 0; i < r->waiting_count; i++) {
        sink_bytes(r->out, r->waiting[i].text, r->waiting[i].len);
        free(r->waiting[i].text);
    }
    r->waiting_count = 0;
    sink_flush(r->out);
}

/* ---- the loop */

/* Whether the rate allows one more hit in this second. */
static bool is_granted(struct run *r, uint64_t time_ns)
{
    uint64_t second = time_ns / NS_PER_S;
    if (second != r->second) {
        r->second = second;
        r->this_second = 0;
    }
    return r->this_second++ < r->how->rate;
}

static void take(void *with, const struct probe_ring_hit *hit)
{
    struct run *r = with;
    if (hit->pid != r->how->pid) {
        r->counts->others++;
        return;
    }
    r->counts->hits++;
    const struct probe_hit_form *form = &r->forms[hit->site];
    if ((r->how->is_trace || r->how->by) && !is_granted(r, hit->time_ns))
        r->counts->dropped++;
    else if (r->record)
        record_hit(r, form, hit);
    else if (r->how->is_trace)
        trace_hit(r, form, hit);
    else
        count_hit(r, form, hit);
}

/* Read what waits, and write it. */
static void read_hits(struct run *r)
{
    probe_ring_read(&r->ring, take, r);
    put_waiting(r);
    if (r->record)
        r->counts->record_error = probe_record_flush(r->record);
}

static void loop(struct run *r)
{
    uint64_t end_ns = r->how->duration_ns ? r->begin_ns + r->how->duration_ns : UINT64_MAX;
    for (uint64_t now_ns = r->begin_ns;
         !*r->how->is_ended && now_ns < end_ns && !sink_error(r->out);
         now_ns = clock_monotonic_ns()) {
        uint64_t left_ms = (end_ns - now_ns) / NS_PER_MS + 1;
        probe_ring_wait(&r->ring, left_ms < WAIT_MS ? (int)left_ms : WAIT_MS);
        read_hits(r);
        if (r->counts->record_error || mem_live_has_ended(r->how->pid, r->how->pid))
            return;
    }
    if (!sink_error(r->out))
        read_hits(r); /* that came while the last ones were looked at */
}

int probe_run_do(struct probe_sites *s, const struct probe_run *how, struct sink *out,
                 struct probe_counts *ret)
{
    struct run r = {.how = how, .sites = s, .counts = ret, .out = out};
    *ret = (struct probe_counts){0};
    r.lines = calloc(VALUES_MOST, sizeof(*r.lines));
    int error = r.lines ? make_forms(&r) : -ENOMEM;
    if (!error)
        error = open_stacks(&r);
    if (!error)
        error = open_record(&r);
    if (!error)
        error = put_probes(&r);
    if (!error) {
        r.begin_ns = clock_monotonic_ns();
        probe_ring_start(&r.ring);
        if (how->begun)
            how->begun(ret->sites);
        loop(&r);
        ret->lost = r.ring.lost;
        if (!how->is_trace)
            put_counts(&r);
    }
    int recorded = probe_record_close(r.record, ret);
    if (recorded)
        ret->record_error = recorded;
    probe_ring_close(&r.ring);
    if (r.stacks)
        copied_stack_close(r.stacks);
    free(r.stacks);
    free(r.waiting);
    free(r.lines);
    free(r.forms);
    return error;
}
