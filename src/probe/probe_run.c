/*
 * probe_run.c - see probe_run.h.
 *
 * Hits come from the rings in the order of their times. A hit alone becomes a row at once. One that
 * begins something is kept in probe_open.h with its fields and frames, and becomes a row with the
 * hit that ends it. Several hits are one wait (probe_offcpu.h), which becomes a row at its end. A
 * row that the conditions let pass is written, recorded or counted.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_run.h"
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/err.h"
#include "base/sink.h"
#include "probe/probe_counts.h"
#include "probe/probe_frames.h"
#include "probe/probe_function.h"
#include "probe/probe_hit.h"
#include "probe/probe_multi.h"
#include "probe/probe_offcpu.h"
#include "probe/probe_record.h"
#include "probe/probe_ring.h"
#include "probe/probe_row.h"
#include "probe/probe_sites.h"
#include "probe/probe_tally.h"
#include "safe/clock.h"
#include "snapshot/copied_stack.h"

enum {
    WAIT_MS = 100,
    LOOK_MS = 10, /* the same if there are rings to be looked at */
    /* A hit is read when it is this old, so that older ones of other processors have come. */
    AGE_MS = 10,
    AGE_FULL_MS = 1,       /* while a ring fills */
    LEFT_MS = 3,           /* from look to look while younger ones are left */
    KEPT_BYTES = 64 << 20, /* of all begins that wait */
};

/* What is kept of a begin: its values, each followed by its text, and its frames. */
struct kept {
    struct run *run;
    size_t bytes;
    const struct probe_hit_form *form;
    struct probe_frames frames;
    bool has_frames;
    struct probe_hit_value values[]; /* as many as the form has fields */
};

struct run {
    const struct probe_run *how;
    struct probe_sites *sites;
    bool *chosen;                 /* by index of the site */
    struct probe_hit_form *forms; /* by index of the site */
    struct probe_pairs pairs;
    struct probe_open *open;
    struct {
        bool is_wanted; /* its form is behind those of the sites */
        uint64_t least_ns;
        struct probe_offcpu *waits;
    } offcpu;
    size_t kept_bytes;
    struct probe_where where;
    struct probe_ring ring;
    struct probe_multi *multi; /* NULL: the probes are events of the ring */
    struct probe_counts *counts;
    struct sink *out;
    struct probe_tally *tally;          /* NULL: hits are written or recorded */
    struct probe_frames_walker *walker; /* NULL: no frames */
    struct probe_record *record;        /* NULL: text */
    bool has_values; /* the fields of hits are looked at; otherwise they are counted alone */
    uint64_t begin_ns, last_ns;
    struct {
        uint64_t second, hits;
    } rate;
};

/* ---- the probes */

static int add_functions(struct run *r)
{
    for (unsigned i = 0; i < r->how->count; i++) {
        const char *name = r->how->names[i];
        if (!probe_function_is(name))
            continue;
        int error = probe_function_add(r->sites, name, r->counts->why);
        if (error) {
            r->counts->wrong = name;
            return error;
        }
    }
    return 0;
}

static int choose(struct run *r)
{
    int error = add_functions(r);
    if (error)
        return error;
    r->chosen = calloc(r->sites->count + (size_t)1, sizeof(*r->chosen));
    r->forms = calloc(r->sites->count + (size_t)1, sizeof(*r->forms));
    if (!r->chosen || !r->forms)
        return -ENOMEM;
    uint32_t count = 0;
    const char *why;
    for (unsigned i = 0; i < r->how->count; i++) {
        if (probe_offcpu_is(r->how->names[i]))
            r->offcpu.is_wanted = probe_offcpu_check(r->how->names[i], &r->offcpu.least_ns, &why);
    }
    for (uint32_t i = 0; i < r->sites->count; i++) {
        const struct probe_site *site = &r->sites->rows[i];
        if (!probe_sites_is_named(site, r->how->names, r->how->count))
            continue;
        r->chosen[i] = site->is_usable;
        r->counts->unusable += !site->is_usable;
        if (!site->is_usable && site->why_not)
            r->counts->refused = site->why_not;
        count += site->is_usable;
    }
    if (count == 0 && !r->offcpu.is_wanted)
        return r->counts->unusable > 0 ? E_UNSUPPORTED : E_NOT_FOUND;
    return 0;
}

static void make_forms(struct run *r)
{
    for (uint32_t i = 0; i < r->sites->count; i++) {
        const struct probe_site *site = &r->sites->rows[i];
        if (!r->chosen[i])
            continue;
        const struct probe_hit_source of = {site->at.provider, site->at.name, site->at.args,
                                            site->words, r->sites->files[site->file].elf.machine};
        probe_hit_form(&of, &r->forms[i]);
        r->counts->sites++;
    }
    if (r->offcpu.is_wanted)
        probe_offcpu_form(&r->forms[r->sites->count], r->how->stack_bytes > 0);
    r->counts->sites += r->offcpu.is_wanted;
}

/* ---- what is asked of their fields */

static int try_row(struct run *r, const struct probe_row *row)
{
    r->counts->has_by |= r->how->by && probe_row_field(row, r->how->by);
    return probe_where_try(&r->where, row, r->counts->why);
}

/* Look whether rows with the fields of the probes can have what is asked for. */
static int try_fields(struct run *r)
{
    int error = 0;
    for (uint32_t i = 0; i < r->sites->count && !error; i++) {
        if (!r->chosen[i])
            continue;
        struct probe_row row = {.form = &r->forms[i]};
        probe_row_add(&row, row.form, NULL);
        uint32_t pair = r->pairs.begins[i];
        if (pair && !r->pairs.rows[pair - 1].is_hidden) {
            row.end = &r->forms[r->pairs.rows[pair - 1].end];
            row.has_duration = true;
            probe_row_add_end(&row, row.end, NULL, r->pairs.rows[pair - 1].fields);
        }
        if (row.end || probe_pair_is_alone(&r->pairs, i))
            error = try_row(r, &row);
    }
    if (r->offcpu.is_wanted && !error) {
        struct probe_row row = {.form = &r->forms[r->sites->count], .has_duration = true};
        probe_row_add(&row, row.form, NULL);
        error = try_row(r, &row);
    }
    const struct probe_where_part *unknown = error ? NULL : probe_where_unknown(&r->where);
    if (unknown) {
        snprintf(r->counts->why, sizeof(r->counts->why),
                 "--where '%.60s': none of these probes has a field '%.40s'%s", unknown->text,
                 unknown->is.field,
                 strcmp(unknown->is.field, "duration") == 0 ? "; --pairs has durations" : "");
        error = E_SYNTAX;
    }
    return error;
}

/* Say why the returns of functions are in no pair, if that is why there is none. */
static void say_no_return(struct run *r)
{
    for (uint32_t i = 0; i < r->sites->count; i++) {
        const struct probe_site *site = &r->sites->rows[i];
        if (site->kind == PROBE_SITE_RETURN && site->why_not && !site->asked[0])
            snprintf(r->counts->why, sizeof(r->counts->why),
                     "%.60s: its return cannot be watched: %s", site->at.name, site->why_not);
    }
}

static int find_pairs(struct run *r, enum probe_run_step *step)
{
    struct probe_pair_wish wish = r->how->pairs;
    wish.has_calls = r->how->stack_bytes > 0;
    int error = probe_pair_find(r->sites, &wish, r->chosen, &r->pairs, &r->counts->wrong);
    if (error == E_NOT_FOUND && !r->counts->wrong) {
        *step = PROBE_RUN_PAIRS;
        say_no_return(r);
    }
    return error;
}

/* What is asked for, before any probe is put. */
static int prepare(struct run *r, enum probe_run_step *step)
{
    *step = PROBE_RUN_NAMES;
    int error = choose(r);
    if (!error)
        error = find_pairs(r, step);
    if (error)
        return error;
    make_forms(r);
    error = try_fields(r);
    if (!error && r->how->by && !r->counts->has_by) {
        *step = PROBE_RUN_BY;
        return E_NOT_FOUND;
    }
    if (!error)
        *step = PROBE_RUN_OTHER;
    return error;
}

static int put_offcpu(struct run *r)
{
    const struct probe_offcpu_how how = {.pid = r->how->pid,
                                         .least_ns = r->offcpu.least_ns,
                                         .has_stacks = r->how->stack_bytes > 0,
                                         .rate = r->how->rate,
                                         .site = r->sites->count};
    char why[PROBE_OFFCPU_WHY];
    int error = probe_offcpu_open(&how, &r->ring, &r->offcpu.waits, why);
    if (error) {
        r->counts->wrong = "offcpu";
        snprintf(r->counts->why, sizeof(r->counts->why), "%.*s%s", PROBE_OFFCPU_WHY,
                 why[0] ? why : err_text(error),
                 error == -EPERM || error == -EACCES
                     ? ": it takes root, or CAP_BPF with CAP_PERFMON, and rules of seccomp that "
                       "allow bpf()"
                     : "");
    }
    return error;
}

/* The places of all chosen sites, which are sorted by their files. Returns how many. */
static uint32_t find_places(const struct run *r, struct probe_ring_place *ret)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->sites->count; i++) {
        const struct probe_site *site = &r->sites->rows[i];
        if (r->chosen[i])
            ret[count++] = (struct probe_ring_place){.path = r->sites->files[site->file].path,
                                                     .offset = site->at.offset,
                                                     .semaphore = site->at.semaphore,
                                                     .is_return = site->kind == PROBE_SITE_RETURN,
                                                     .site = i};
    }
    return count;
}

/* Put probes at all chosen sites: by links of the kernel, or, if that fails for whatever reason, by
 * an event for each. `opened`: the error of probe_ring_open(). */
static int put_uprobes(struct run *r, int opened)
{
    struct probe_ring_place *places = calloc(r->sites->count + (size_t)1, sizeof(*places));
    if (!places)
        return -ENOMEM;
    const uint32_t count = find_places(r, places);
    /* a probe that is in no pair, and whose fields nobody looks at */
    const struct probe_multi_how how = {.pid = r->how->pid,
                                        .sites = r->sites->count,
                                        .is_counted =
                                            r->tally && !r->has_values && r->pairs.count == 0};
    int error = 0;
    if (count > 0 && probe_multi_open(&how, &r->ring, places, count, &r->multi) != 0)
        error = opened;
    for (uint32_t i = 0; i < count && !error && !r->multi; i++)
        error = probe_ring_add(&r->ring, &places[i]);
    free(places);
    return error;
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
    for (uint32_t i = 0; i < r->pairs.count; i++)
        if (r->pairs.rows[i].by == PROBE_OPEN_BY_RETURN)
            registers |= probe_ring_stack_register();
    if (r->how->stack_bytes)
        registers |= probe_ring_walk_registers();
    int error = probe_ring_open(&r->ring, registers, stack_bytes);
    r->ring.has_exits = r->pairs.count > 0 || r->offcpu.is_wanted;
    if (!error || error == -ENOENT)
        error = put_uprobes(r, error);
    return !error && r->offcpu.is_wanted ? put_offcpu(r) : error;
}

static int open_outputs(struct run *r)
{
    int error = 0;
    const struct probe_record_of of = {r->forms, r->sites->count + r->offcpu.is_wanted, &r->pairs,
                                       r->how->stack_bytes > 0};
    if (!r->how->is_trace) {
        r->tally = probe_tally_new(r->how->by);
        return r->tally ? 0 : -ENOMEM;
    }
    if (r->how->stack_bytes)
        error = probe_frames_open(&r->sites->live, ELF_FILE_OWN_MACHINE, &r->walker,
                                  &r->counts->missing);
    if (!error && r->how->is_recorded)
        error = probe_record_open(r->out, &of, &r->record);
    return error;
}

/* ---- rows */

/* The number of the pair is that of pairs.rows. */
static void put_row(struct run *r, uint32_t site, uint32_t pair, const struct probe_row *row)
{
    if (!probe_where_holds(&r->where, row)) {
        r->counts->filtered++;
        return;
    }
    if (r->tally)
        probe_tally_add(r->tally, row, 1);
    else if (r->record)
        probe_record_add(r->record, site, pair, row);
    else
        probe_row_put(r->out, row, r->begin_ns, r->how->is_json);
}

static void read_values(struct run *r, const struct probe_hit_form *form,
                        const struct probe_ring_hit *hit, struct probe_hit_value *values)
{
    for (unsigned i = 0; i < form->count; i++)
        probe_hit_value(form, i, hit, &r->sites->live, &values[i]);
}

/* Walk the stack of a hit. Returns whether there is something to keep. */
static bool take_frames(struct run *r, const struct probe_ring_hit *hit, struct probe_frames *ret)
{
    struct copied_stack_result stack;
    if (!r->walker && !r->record)
        return false;
    bool is_walked = r->walker && probe_frames_walk(r->walker, hit, r->open, r->counts, &stack);
    *ret = (struct probe_frames){0};
    if (r->record)
        probe_record_frames(r->record, hit, is_walked ? &stack : NULL, ret);
    else if (is_walked && !probe_frames_keep(&stack, r->how->is_json, ret))
        probe_frames_done(ret);
    return true;
}

/* Whether the rate allows one more hit in this second. */
static bool is_granted(struct run *r, uint64_t time_ns)
{
    uint64_t second = time_ns / NS_PER_S;
    if (!r->has_values)
        return true;
    if (second != r->rate.second) {
        r->rate.second = second;
        r->rate.hits = 0;
    }
    return r->rate.hits++ < r->how->rate;
}

/* A hit that is in no pair. */
static void take_alone(struct run *r, const struct probe_ring_hit *hit)
{
    const struct probe_hit_form *form = &r->forms[hit->site];
    struct probe_hit_value values[PROBE_HIT_FIELDS];
    struct probe_frames frames;
    struct probe_row row = {
        .form = form, .time_ns = hit->time_ns, .pid = hit->pid, .tid = hit->tid};
    if (!is_granted(r, hit->time_ns)) {
        r->counts->dropped++;
        return;
    }
    if (r->has_values) {
        read_values(r, form, hit, values);
        probe_row_add(&row, form, values);
    }
    if (r->where.count > 0 && !probe_where_holds(&r->where, &row)) {
        r->counts->filtered++; /* and not walked */
        return;
    }
    bool has_frames = take_frames(r, hit, &frames);
    row.frames = has_frames ? &frames : NULL;
    put_row(r, hit->site, 0, &row);
    if (has_frames)
        probe_frames_done(&frames);
}

/* ---- pairs */

static void release(void *kept)
{
    struct kept *k = kept;
    k->run->kept_bytes -= k->bytes;
    if (k->has_frames)
        probe_frames_done(&k->frames);
    free(k);
}

static struct kept *keep(struct run *r, const struct probe_ring_hit *hit)
{
    const struct probe_hit_form *form = &r->forms[hit->site];
    size_t bytes = sizeof(struct kept) + form->count * sizeof(struct probe_hit_value);
    struct kept *k = r->kept_bytes < KEPT_BYTES ? malloc(bytes) : NULL;
    if (!k)
        return NULL;
    *k = (struct kept){.run = r, .form = form};
    read_values(r, form, hit, k->values);
    k->has_frames = take_frames(r, hit, &k->frames);
    k->bytes = bytes + (k->has_frames ? k->frames.len : 0);
    r->kept_bytes += k->bytes;
    return k;
}

/* How this hit finds its partner. */
static struct probe_open_hit open_hit(struct run *r, const struct probe_ring_hit *hit,
                                      uint32_t pair, bool is_end)
{
    const struct probe_pair *p = &r->pairs.rows[pair];
    struct probe_open_hit of = {
        .pair = pair, .by = p->by, .tid = hit->tid, .time_ns = hit->time_ns};
    if (p->by == PROBE_OPEN_BY_KEYS)
        probe_hit_raw(&r->forms[hit->site], p->fields, hit, &r->sites->live, of.keys,
                      PROBE_OPEN_KEYS);
    if (p->by == PROBE_OPEN_BY_RETURN)
        of.keys[0] = probe_ring_call(hit, is_end);
    return of;
}

static void take_begin(struct run *r, const struct probe_ring_hit *hit, uint32_t pair)
{
    struct probe_open_hit of = open_hit(r, hit, pair, false);
    bool is_hidden = r->pairs.rows[pair].is_hidden;
    if (r->walker && of.by == PROBE_OPEN_BY_RETURN) {
        of.return_to = probe_ring_return_address(hit);
        if (probe_frames_is_trampoline(r->walker, of.return_to))
            of.return_to = 0;
    }
    if (!is_hidden) {
        of.is_dropped = !is_granted(r, hit->time_ns);
        of.kept = r->has_values && !of.is_dropped ? keep(r, hit) : NULL;
        of.is_dropped |= r->has_values && !of.kept;
    }
    probe_open_begin(r->open, &of);
}

static void take_end(struct run *r, const struct probe_ring_hit *hit, uint32_t pair)
{
    const struct probe_pair *p = &r->pairs.rows[pair];
    const struct probe_hit_form *form = &r->forms[hit->site];
    struct probe_open_hit of = open_hit(r, hit, pair, true), begin;
    struct probe_hit_value values[PROBE_HIT_FIELDS];
    if (!probe_open_end(r->open, &of, &begin) || p->is_hidden)
        return;
    struct kept *k = begin.kept;
    if (begin.is_dropped) {
        r->counts->dropped += 2;
        return;
    }
    struct probe_row row = {.form = k ? k->form : &r->forms[p->begin],
                            .end = form,
                            .pair = p->name,
                            .has_duration = true,
                            .time_ns = begin.time_ns,
                            .duration_ns = hit->time_ns - begin.time_ns,
                            .pid = hit->pid,
                            .tid = hit->tid,
                            .frames = k && k->has_frames ? &k->frames : NULL};
    if (k) {
        read_values(r, form, hit, values);
        probe_row_add(&row, k->form, k->values);
        probe_row_add_end(&row, form, values, p->fields);
    }
    put_row(r, hit->site, pair, &row);
    if (k)
        release(k);
}

/* ---- waits */

/* The kept frames of a wait, or those of the hit that ended it. Returns whether there are any. */
static bool frames_of_wait(struct run *r, const struct probe_ring_hit *hit, bool is_its_stack,
                           struct probe_offcpu_wait *wait)
{
    const struct probe_ring_hit bare = {.pid = r->how->pid, .tid = wait->tid};
    return wait->has_frames || take_frames(r, is_its_stack ? hit : &bare, &wait->frames);
}

static void take_wait(struct run *r, const struct probe_ring_hit *hit, bool is_its_stack,
                      struct probe_offcpu_wait *wait)
{
    struct probe_row row = {.form = &r->forms[r->sites->count],
                            .has_duration = true,
                            .time_ns = wait->begin_ns,
                            .duration_ns = wait->ns,
                            .pid = r->how->pid,
                            .tid = wait->tid};
    r->counts->hits++;
    r->counts->stacks.bare += wait->is_bare;
    probe_row_add(&row, row.form, wait->values);
    /* the rate of stacks is kept by the programs */
    bool is_shown = r->how->stack_bytes > 0 || is_granted(r, hit->time_ns);
    r->counts->dropped += !is_shown;
    if (is_shown && !probe_where_holds(&r->where, &row)) {
        r->counts->filtered++;
        is_shown = false;
    }
    if (is_shown) {
        wait->has_frames = frames_of_wait(r, hit, is_its_stack, wait);
        row.frames = wait->has_frames ? &wait->frames : NULL;
        put_row(r, r->sites->count, 0, &row);
    }
    if (wait->has_frames)
        probe_frames_done(&wait->frames);
}

static void take_offcpu(struct run *r, const struct probe_ring_hit *hit)
{
    struct probe_offcpu_wait wait;
    struct probe_frames frames;
    struct copied_stack_result stack;
    bool is_walked = false;
    enum probe_offcpu_hit is = probe_offcpu_look(r->offcpu.waits, hit, &wait);
    switch (is) {
    case PROBE_OFFCPU_LEAVES:
        if (take_frames(r, hit, &frames))
            probe_offcpu_keep(r->offcpu.waits, hit->tid, &frames);
        break;
    case PROBE_OFFCPU_WAKES:
        is_walked = r->walker && hit->pid == r->how->pid &&
                    probe_frames_walk(r->walker, hit, r->open, r->counts, &stack);
        probe_offcpu_waker(r->offcpu.waits, hit, is_walked ? &stack : NULL);
        break;
    case PROBE_OFFCPU_IS_OVER:
    case PROBE_OFFCPU_IS_BACK:
        take_wait(r, hit, is == PROBE_OFFCPU_IS_OVER, &wait);
        break;
    default:
        break;
    }
}

/* ---- counts that the kernel keeps */

static void take_counts(struct run *r)
{
    for (uint32_t i = 0; r->multi && r->tally && i < r->sites->count; i++) {
        const uint64_t hits = probe_multi_hits(r->multi, i);
        const struct probe_row row = {.form = &r->forms[i]};
        r->counts->hits += hits;
        if (hits > 0)
            probe_tally_add(r->tally, &row, hits);
    }
}

/* ---- the loop */

static void take(void *with, const struct probe_ring_hit *hit)
{
    struct run *r = with;
    if (hit->site == r->sites->count) {
        take_offcpu(r, hit);
        return;
    }
    if (hit->pid != r->how->pid) {
        r->counts->others++;
        return;
    }
    uint32_t begin = r->pairs.begins[hit->site], end = r->pairs.ends[hit->site];
    bool is_alone = probe_pair_is_alone(&r->pairs, hit->site);
    r->counts->hits += !r->pairs.is_unseen[hit->site];
    r->counts->late += hit->time_ns < r->last_ns;
    if (hit->time_ns > r->last_ns)
        r->last_ns = hit->time_ns;
    if (end)
        take_end(r, hit, end - 1);
    if (is_alone)
        take_alone(r, hit);
    if (begin)
        take_begin(r, hit, begin - 1);
}

static void take_exit(void *with, pid_t pid, pid_t tid)
{
    struct run *r = with;
    if (pid != r->how->pid)
        return;
    probe_open_exit(r->open, tid);
    if (r->offcpu.waits)
        probe_offcpu_exit(r->offcpu.waits, tid);
}

static void take_lost(void *with, uint64_t count)
{
    struct run *r = with;
    r->counts->lost += count;
    probe_open_forget(r->open);
    if (r->offcpu.waits)
        probe_offcpu_forget(r->offcpu.waits);
}

/* Read what waits until then, and write it. Returns whether younger hits are left. */
static bool read_hits(struct run *r, uint64_t until_ns)
{
    const struct probe_ring_taker taker = {r, take, take_exit, take_lost};
    bool is_left = probe_ring_read(&r->ring, until_ns, &taker);
    if (r->record)
        r->counts->record_error = probe_record_flush(r->record);
    else if (!r->tally)
        sink_flush(r->out);
    return is_left;
}

static void loop(struct run *r)
{
    static const struct timespec while_left = {0, (long)LEFT_MS * NS_PER_MS};
    uint64_t end_ns = r->how->duration_ns ? r->begin_ns + r->how->duration_ns : UINT64_MAX;
    const uint64_t wait_ms = r->ring.count > 0 ? LOOK_MS : WAIT_MS;
    bool is_left = false;
    for (uint64_t now_ns = r->begin_ns;
         !*r->how->is_ended && now_ns < end_ns && !sink_error(r->out);
         now_ns = clock_monotonic_ns()) {
        uint64_t left_ms = (end_ns - now_ns) / NS_PER_MS + 1;
        if (is_left)
            nanosleep(&while_left, NULL);
        else
            probe_ring_wait(&r->ring, (int)(left_ms < wait_ms ? left_ms : wait_ms));
        uint64_t age_ms = probe_ring_is_filling(&r->ring) ? AGE_FULL_MS : AGE_MS;
        is_left = read_hits(r, clock_monotonic_ns() - age_ms * NS_PER_MS);
        if (r->counts->record_error || mem_live_has_ended(r->how->pid, r->how->pid))
            break;
    }
    if (!sink_error(r->out) && !r->counts->record_error)
        read_hits(r, UINT64_MAX); /* that came while the last ones were looked at */
}

static void finish(struct run *r)
{
    int recorded;
    if (r->open)
        r->counts->pairs = probe_open_counts(r->open);
    recorded = probe_record_close(r->record, r->counts);
    if (recorded)
        r->counts->record_error = recorded;
    probe_offcpu_close(r->offcpu.waits);
    probe_multi_close(r->multi);
    probe_ring_close(&r->ring);
    probe_open_free(r->open);
    probe_tally_free(r->tally);
    probe_frames_close(r->walker);
    probe_pair_done(&r->pairs);
    free(r->chosen);
    free(r->forms);
}

int probe_run_do(struct probe_sites *s, const struct probe_run *how, struct sink *out,
                 struct probe_counts *ret, enum probe_run_step *ret_step)
{
    struct run r = {.how = how, .sites = s, .counts = ret, .out = out, .where = how->where};
    *ret = (struct probe_counts){0};
    r.has_values = how->is_trace || how->by || how->where.count > 0;
    r.open = probe_open_new(release);
    int error = r.open ? prepare(&r, ret_step) : -ENOMEM;
    if (!error)
        error = open_outputs(&r);
    if (!error)
        error = put_probes(&r);
    for (uint32_t i = 0; i < r.pairs.count; i++)
        ret->has_pairs |= !r.pairs.rows[i].is_hidden;
    if (!error) {
        r.begin_ns = clock_monotonic_ns();
        if (r.multi)
            probe_multi_start(r.multi);
        probe_ring_start(&r.ring);
        if (how->begun)
            how->begun(ret->sites);
        loop(&r);
        take_counts(&r);
        if (r.tally)
            probe_tally_write(r.tally, out, how->is_json);
    }
    finish(&r);
    return error;
}
