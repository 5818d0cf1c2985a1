/*
 * probe_record.c - see probe_record.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_record.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/demangle.h"
#include "format/jfr_out.h"
#include "format/jfr_put.h"
#include "probe/probe_counts.h"
#include "probe/probe_frames.h"
#include "probe/probe_pair.h"
#include "probe/probe_row.h"
#include "process/process.h"
#include "profile/custom.h"
#include "profile/profile.h"
#include "profile/quality.h"
#include "safe/clock.h"
#include "snapshot/copied_stack.h"

enum {
    MODEL_BYTES = 256 << 20,
    MARKS_BYTES = 4 << 20,
    CHUNK_BYTES = 16 << 20,
    NAME_ROOM = 192,
};

_Static_assert((int)PROBE_RECORD_TYPES == (int)CUSTOM_TYPES, "a probe is a type");
_Static_assert((int)PROBE_HIT_FIELDS <= (int)CUSTOM_FIELDS, "an argument is a field");

enum { NO_TYPE = 255 };

/* A probe as a type of events, with the texts of the type. */
struct type {
    struct custom_type type;
    struct custom_field fields[CUSTOM_FIELDS];
    struct probe_row row;              /* names of the fields, without values */
    const struct probe_hit_form *form; /* the one whose fields these are */
    char name[NAME_ROOM], label[NAME_ROOM], category[NAME_ROOM];
};

struct probe_record {
    struct sink *sink; /* the file */
    enum kind_id kind; /* of the hits */
    bool has_stack;
    int64_t gmt_offset_ms;
    struct profile *profile;
    struct custom_list list;
    struct type types[CUSTOM_TYPES];
    uint8_t *of_site, *of_pair; /* index of the type of each site and pair */
    struct jfr_out out;
    bool is_open;
};

/* ---- types */

/* A word of a name that every reader of JFR files takes. */
static void put_word(char *to, size_t room, const char *word)
{
    size_t at = strlen(to);
    for (; *word && at + 1 < room; word++)
        to[at++] = isalnum((unsigned char)*word) ? *word : '_';
    to[at] = '\0';
}

static void put_text(char *to, size_t room, const char *text)
{
    size_t at = strlen(to);
    snprintf(to + at, room - at, "%s", text);
}

static bool is_same(const struct probe_hit_form *a, const struct probe_hit_form *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->provider, b->provider) == 0;
}

/* "probe.hotspot.gc__begin", "gc begin", "Probes|hotspot". */
static void name_type(struct type *t, const char *provider_name, const char *name)
{
    char provider[NAME_ROOM] = "";
    put_word(provider, sizeof(provider), provider_name);
    put_text(t->name, sizeof(t->name), "probe.");
    put_text(t->name, sizeof(t->name), provider);
    put_text(t->name, sizeof(t->name), ".");
    put_word(t->name, sizeof(t->name), name);
    size_t n = 0;
    for (const char *c = name; *c && n + 1 < sizeof(t->label); c++) {
        bool is_gap = *c == '_' || *c == '.';
        if (!is_gap || (n > 0 && t->label[n - 1] != ' '))
            t->label[n++] = is_gap ? ' ' : isalnum((unsigned char)*c) ? *c : '?';
    }
    put_text(t->category, sizeof(t->category), "Probes|");
    put_text(t->category, sizeof(t->category), provider);
}

static bool is_text_field(const struct probe_hit_form *form, unsigned i)
{
    return form->fields[i].known.is_text || form->fields[i].known.is_string;
}

/* The fields of a hit, or of a begin and its end, which are called as in a row. */
static void fill_fields(struct type *t, const struct probe_hit_form *form,
                        const struct probe_hit_form *end, unsigned same)
{
    uint32_t count = 0;
    t->form = form;
    t->row = (struct probe_row){.form = form, .end = end};
    probe_row_add(&t->row, form, NULL);
    if (end)
        probe_row_add_end(&t->row, end, NULL, same);
    for (; count < t->row.count && count < CUSTOM_FIELDS; count++) {
        bool is_text = count < form->count || !end ? is_text_field(form, count)
                                                   : is_text_field(end, same + count - form->count);
        t->fields[count] = (struct custom_field){.name = t->row.fields[count].name,
                                                 .label = t->row.fields[count].name,
                                                 .sort = is_text ? CUSTOM_TEXT : CUSTOM_LONG};
    }
    t->type.about = end ? "From the begin to the end of a pair of probes" : "A hit of a probe";
    t->type.field_count = count;
    t->type.fields = t->fields;
}

static int new_type(struct probe_record *r, struct type **ret)
{
    uint32_t number = r->list.count;
    if (number == CUSTOM_TYPES)
        return E_LIMIT;
    struct type *t = *ret = &r->types[number];
    t->type = (struct custom_type){.name = t->name,
                                   .label = t->label,
                                   .category = t->category,
                                   .number = number,
                                   .has_stack = r->has_stack};
    r->list.of[number] = &t->type;
    r->list.count = number + 1;
    return 0;
}

/* The type of a probe that is in no pair. */
static int add_type(struct probe_record *r, const struct probe_hit_form *form, uint8_t *ret_number)
{
    struct type *t = NULL;
    for (uint32_t i = 0; i < r->list.count && !t; i++)
        if (r->types[i].form && !r->types[i].row.end && is_same(r->types[i].form, form))
            t = &r->types[i];
    if (!t) {
        int error = new_type(r, &t);
        if (error)
            return error;
        name_type(t, form->provider, form->name);
        fill_fields(t, form, NULL, 0);
    } else if (t->form->count < form->count) {
        fill_fields(t, form, NULL, 0);
    }
    *ret_number = (uint8_t)t->type.number;
    return 0;
}

/* The form with most fields of the sites that have this role in a pair. */
static const struct probe_hit_form *largest(const struct probe_record_of *of, const uint32_t *roles,
                                            uint32_t pair)
{
    const struct probe_hit_form *found = NULL;
    for (uint32_t i = 0; i < of->count; i++)
        if (roles[i] == pair + 1 && of->forms[i].name &&
            (!found || found->count < of->forms[i].count))
            found = &of->forms[i];
    return found;
}

static int add_pair(struct probe_record *r, const struct probe_record_of *of, uint32_t pair)
{
    const struct probe_pair *p = &of->pairs->rows[pair];
    const struct probe_hit_form *begin = largest(of, of->pairs->begins, pair),
                                *end = largest(of, of->pairs->ends, pair);
    struct type *t;
    r->of_pair[pair] = NO_TYPE;
    if (p->is_hidden || !begin || !end)
        return 0;
    int error = new_type(r, &t);
    if (error)
        return error;
    size_t provider = strlen(begin->provider) + 1;
    name_type(t, begin->provider, strlen(p->name) > provider ? p->name + provider : p->name);
    fill_fields(t, begin, end, p->fields);
    r->of_pair[pair] = (uint8_t)t->type.number;
    return 0;
}

static int add_types(struct probe_record *r, const struct probe_record_of *of)
{
    int error = 0;
    for (uint32_t i = 0; i < of->pairs->count && !error; i++)
        error = add_pair(r, of, i);
    for (uint32_t i = 0; i < of->count && !error; i++)
        if (of->forms[i].name && probe_pair_is_alone(of->pairs, i))
            error = add_type(r, &of->forms[i], &r->of_site[i]);
    return error;
}

static int append(void *to, const void *bytes, size_t len)
{
    struct sink *out = ((const struct probe_record *)to)->sink;
    sink_bytes(out, bytes, len);
    int error = sink_flush(out);
    return error == -EAGAIN ? -EIO : error;
}

int probe_record_open(struct sink *out, const struct probe_record_of *of, struct probe_record **ret)
{
    struct probe_record *r = *ret = calloc(1, sizeof(*r));
    if (!r)
        return -ENOMEM;
    r->sink = out;
    r->kind = kind_of_jfr(KIND_JFR_APPLICATION);
    r->has_stack = of->has_stack;
    r->gmt_offset_ms = jfr_out_gmt_offset_ms();
    r->profile = profile_new(MODEL_BYTES);
    r->of_site = calloc(of->count + (size_t)1, sizeof(*r->of_site));
    r->of_pair = calloc(of->pairs->count + (size_t)1, sizeof(*r->of_pair));
    if (!r->profile || !r->of_site || !r->of_pair)
        return -ENOMEM;
    int error = add_types(r, of);
    if (error)
        return error;
    const struct jfr_out_config config = {.profile = r->profile,
                                          .target = {.append = append, .to = r},
                                          .chunk_bytes = CHUNK_BYTES,
                                          .chunk_ns = UINT64_MAX,
                                          .marks_bytes = MARKS_BYTES,
                                          .customs = &r->list};
    struct jfr_out_time time = jfr_out_now(r->gmt_offset_ms);
    error = jfr_out_open(&r->out, &config, &time);
    r->is_open = error == 0;
    return error;
}

/* ---- hits */

/* The thread's name: as the VM has it, otherwise as the kernel has it, if it has not ended. */
static thread_id thread_of(struct probe_record *r, const struct probe_ring_hit *hit,
                           const struct copied_stack_result *stack)
{
    thread_id id = profile_thread_by_serial(r->profile, (uint32_t)hit->tid);
    char comm[PROCESS_THREAD_NAME];
    if (id)
        return id;
    const char *name = stack ? stack->thread_name : NULL;
    if (!name && process_thread_name(hit->pid, hit->tid, comm))
        name = comm;
    id = profile_add_thread(r->profile, (uint32_t)hit->tid, 0,
                            name ? profile_cstring(r->profile, name) : 0, 0, 0);
    if (id)
        profile_thread_at(r->profile, id)->os_id = (uint32_t)hit->tid;
    return id;
}

static frame_id java_frame(struct profile *p, const struct snapshot_frame *f)
{
    const struct java_method *m = f->method;
    enum frame_kind kind = frame_kind_walked((enum walk_kind)f->at.kind);
    class_id klass = profile_class_named(p, profile_cstring(p, m->class_name));
    method_id method =
        profile_method(p, klass, profile_cstring(p, m->name), profile_cstring(p, m->signature),
                       m->source_file ? profile_cstring(p, m->source_file) : 0);
    return method ? profile_frame_of(p, kind, method, f->at.bci < 0 ? -1 : f->at.bci,
                                     f->line < 0 ? PROFILE_LINE_NONE : f->line)
                  : 0;
}

/* A function without a name is called by its place in its library. The JDK's tool ends with a
 * failure at a method without a descriptor. */
static frame_id native_frame(struct profile *p, const struct snapshot_frame *f)
{
    char place[NAME_ROOM], *owned = NULL;
    const char *name = place, *library = f->module ? f->module->name : NULL;
    if (f->function)
        name = demangle(f->function->name, &owned);
    else if (f->module)
        snprintf(place, sizeof(place), "%.160s+0x%" PRIx64, library, f->at.pc - f->module->bias);
    else
        snprintf(place, sizeof(place), "0x%" PRIx64, f->at.pc);
    class_id klass = library ? profile_class_named(p, profile_cstring(p, library)) : 0;
    method_id method =
        profile_method(p, klass, profile_cstring(p, name), profile_cstring(p, "()V"), 0);
    free(owned);
    return method ? profile_frame_of(p, FRAME_NATIVE, method, -1, PROFILE_LINE_NONE) : 0;
}

static trace_id trace_of(struct probe_record *r, const struct copied_stack_result *stack)
{
    frame_id frames[COPIED_STACK_FRAMES];
    uint32_t count = 0;
    for (uint32_t i = 0; stack && i < stack->count; i++) {
        const struct snapshot_frame *f = &stack->frames[i];
        frame_id id = f->method ? java_frame(r->profile, f) : native_frame(r->profile, f);
        if (id)
            frames[count++] = id;
    }
    trace_id trace = count > 0 ? profile_trace(r->profile, 0, frames, count) : PROFILE_TRACE_EMPTY;
    return trace ? trace : PROFILE_TRACE_EMPTY;
}

void probe_record_frames(struct probe_record *r, const struct probe_ring_hit *hit,
                         const struct copied_stack_result *stack, struct probe_frames *ret)
{
    *ret = (struct probe_frames){
        .thread = thread_of(r, hit, stack),
        .trace = trace_of(r, stack),
        .is_whole = !stack || (!stack->is_cut && !stack->is_frozen && !stack->is_broken)};
}

void probe_record_add(struct probe_record *r, uint32_t site, uint32_t pair,
                      const struct probe_row *row)
{
    const struct type *t = &r->types[row->end ? r->of_pair[pair] : r->of_site[site]];
    union custom_value fields[CUSTOM_FIELDS];
    const struct custom_event custom = {&t->type, fields};
    struct event event = {.kind = r->kind,
                          .thread = row->frames->thread,
                          .trace = row->frames->trace,
                          .is_truncated = !row->frames->is_whole,
                          .time_ns = row->time_ns + row->duration_ns,
                          .value = {row->duration_ns, 1},
                          .custom = &custom};
    for (uint32_t i = 0; i < t->type.field_count; i++) {
        const struct probe_row_field *field = probe_row_field(row, t->fields[i].name);
        const struct probe_hit_value *value = field ? field->value : NULL;
        bool has = value && value->is != PROBE_HIT_NONE;
        if (t->fields[i].sort == CUSTOM_TEXT)
            fields[i].text = has && value->is == PROBE_HIT_TEXT_VALUE ? value->text : NULL;
        else
            fields[i].number = has && value->is != PROBE_HIT_TEXT_VALUE ? (int64_t)value->number
                                                                        : CUSTOM_NO_NUMBER;
    }
    jfr_put_event(&r->out, &event);
}

int probe_record_flush(struct probe_record *r)
{
    struct jfr_out_time time = jfr_out_now(r->gmt_offset_ms);
    return jfr_out_flush(&r->out, &time, false);
}

static void put_count(struct probe_record *r, enum quality which, uint64_t count)
{
    jfr_put_quality(&r->out, clock_monotonic_ns(), quality_name(which), count);
}

int probe_record_close(struct probe_record *r, const struct probe_counts *counts)
{
    int error = 0;
    if (r && r->is_open) {
        put_count(r, QUALITY_PROBE_HITS, counts->hits);
        put_count(r, QUALITY_PROBE_DROPPED, counts->dropped);
        put_count(r, QUALITY_PROBE_LOST, counts->lost + r->out.lost);
        put_count(r, QUALITY_PROBE_UNPAIRED, probe_counts_unpaired(counts));
        put_count(r, QUALITY_PROBE_FILTERED, counts->filtered);
        if (r->has_stack) {
            put_count(r, QUALITY_PROBE_STACKS, counts->stacks.walked);
            put_count(r, QUALITY_PROBE_STACKS_CUT, counts->stacks.cut);
            put_count(r, QUALITY_PROBE_STACKS_FROZEN, counts->stacks.frozen);
            put_count(r, QUALITY_PROBE_STACKS_BROKEN, counts->stacks.broken);
        }
        struct jfr_out_time time = jfr_out_now(r->gmt_offset_ms);
        error = jfr_out_flush(&r->out, &time, true);
        jfr_out_close(&r->out);
    }
    if (r) {
        profile_free(r->profile);
        free(r->of_site);
        free(r->of_pair);
    }
    free(r);
    return error;
}
