/*
 * jfr_cut.c - `hprof jfr cut` and `scrub`: write a recording again with a part of its events, or
 * without some of its texts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfrtool.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/plural.h"
#include "command/cmd.h"
#include "jfrtool/jfr_catalogue.h"
#include "jfrtool/jfr_input.h"
#include "jfrtool/jfr_order.h"
#include "jfrtool/jfr_output.h"
#include "jfrtool/jfr_redact.h"
#include "command/say.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_nanotime.h"
#include "jfr/jfr_rewrite.h"
#include "jfr/jfr_value.h"

enum { NAME = 512 };

/* The result for a type, of the filters that look only at types. */
enum verdict { UNKNOWN, LEFT_OUT, TAKEN, ALWAYS_IN_TIME /* passes every time range */ };

struct cutting {
    struct jfrtool_cut *cut;
    struct jfr_rewrite rewrite;
    struct jfr_rewrite_count count;
    struct jfr_redact redact;
    struct jfr_output out;
    uint8_t *verdicts; /* enum verdict by jfr_type.number */
};

/* Events that each chunk writes once about the program, the machine and the recording are not cut
 * by time. Source: the period of such events in default.jfc. */
static bool is_about_the_recording(const struct jfr_type *type)
{
    const struct jfr_catalogue all = jfr_catalogue_all(),
                               event = jfr_catalogue_find(&all, type->known_as);
    for (size_t i = 0; i < event.count; i++)
        if (event.rows[i].kind == JFR_CATALOGUE_SETTING &&
            strcmp(event.rows[i].by_default, "beginChunk") == 0)
            return true;
    return jfr_filter_names("jdk.ActiveRecording,jdk.ActiveSetting", type->known_as);
}

static enum verdict judge(const struct jfrtool_cut *cut, const struct jfr_type *type)
{
    for (size_t i = 0; i < cut->filter_count; i++) {
        const struct jfrtool_filter *f = &cut->filters[i];
        struct jfr_filter by_name = {.events = f->about == JFRTOOL_FILTER_EVENTS ? f->names : NULL,
                                     .categories =
                                         f->about == JFRTOOL_FILTER_CATEGORIES ? f->names : NULL};
        if (f->about != JFRTOOL_FILTER_THREADS &&
            jfr_filter_fits(&by_name, type) == f->is_excluding)
            return LEFT_OUT;
    }
    return is_about_the_recording(type) ? ALWAYS_IN_TIME : TAKEN;
}

/* The name of an event's thread: the thread that committed the event, or the sampled thread.
 * Returns false if there is none. */
static bool thread_of(const struct jfr_chunk *c, const struct jfr_value *event, char *name,
                      size_t room)
{
    static const char *const paths[] = {"eventThread.javaName", "eventThread.osName",
                                        "sampledThread.javaName", "sampledThread.osName"};
    struct jfr_value value;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        if (jfr_value_named(c, event, paths[i], &value) && value.shape == JFR_TEXT) {
            jfr_value_utf8(&value, name, room);
            return true;
        }
    return false;
}

static bool passes_threads(const struct jfrtool_cut *cut, const struct jfr_chunk *c,
                           const struct jfr_value *event)
{
    char name[NAME];
    for (size_t i = 0; i < cut->filter_count; i++) {
        const struct jfrtool_filter *f = &cut->filters[i];
        if (f->about == JFRTOOL_FILTER_THREADS &&
            (thread_of(c, event, name, sizeof(name)) && jfr_filter_texts(f->names, name)) ==
                f->is_excluding)
            return false;
    }
    return true;
}

/* Whether a chunk has events in the time range. A chunk without such events is left out, together
 * with what it says about the recording. */
static bool has_any_in_time(struct cutting *k, struct jfr_file *f)
{
    struct jfr_record record;
    for (size_t at = JFR_LAYOUT_HEADER;
         jfr_chunk_record(f->chunk.bytes, f->chunk.len, at, &record) > 0; at += record.size) {
        const struct jfr_type *type = jfr_chunk_type(&f->chunk, record.type_id);
        if (type && !is_about_the_recording(type) &&
            jfr_order_takes(&k->cut->range, &f->chunk, type, &record))
            return true;
    }
    return false;
}

static bool keeps(void *with, const struct jfr_chunk *c, const struct jfr_type *type,
                  const struct jfr_record *record)
{
    struct cutting *k = with;
    const struct jfr_value event = jfr_value_event(type, record);
    uint8_t *verdict = &k->verdicts[type->number];
    if (*verdict == UNKNOWN)
        *verdict = (uint8_t)judge(k->cut, type);
    return *verdict != LEFT_OUT &&
           (*verdict == ALWAYS_IN_TIME || jfr_order_takes(&k->cut->range, c, type, record)) &&
           passes_threads(k->cut, c, &event);
}

static const char *replaces(void *with, const struct jfr_chunk *c, const struct jfr_record *event,
                            const struct jfr_type *type, const struct jfr_field *field,
                            const struct jfr_text *text)
{
    struct cutting *k = with;
    return jfr_redact_text(&k->redact, c, event, type, field, text);
}

static int cut_chunk(struct cutting *k, struct jfr_file *f)
{
    const struct jfr_chunk *c = &f->chunk;
    struct window *range = &k->cut->range;
    int r = c->has_types ? jfr_nanotime_resolve(range, c) : 0;

    /* If a chunk has no types, the loss is reported at the end of the file. */
    if (r < 0 || !c->has_types || (window_is_set(range) && !has_any_in_time(k, f)))
        return r;
    free(k->verdicts);
    k->verdicts = calloc(c->metadata.type_count + (size_t)1, sizeof(*k->verdicts));
    if (!k->verdicts)
        return -ENOMEM;
    k->rewrite.duration_max =
        range->to_ns > c->header.start_ns ? range->to_ns - c->header.start_ns : 0;
    if (range->to.kind == WINDOW_OPEN)
        k->rewrite.duration_max = 0;
    return jfr_rewrite_chunk(&k->rewrite, &f->chunk, &k->out.sink, &k->count);
}

static int cut_input(struct cutting *k, struct jfr_input *in)
{
    int r;
    while ((r = jfr_file_next_chunk(&in->file)) > 0 && (r = cut_chunk(k, &in->file)) == 0)
        ;
    if (r == E_UNSUPPORTED && in->file.chunks > 0)
        say("%s: " JFR_INPUT_NO_NANOTIME, in->path);
    else if (r < 0 && sink_error(&k->out.sink) == 0)
        jfr_input_say(in, r);
    if (r == 0 && k->count.kept == 0) {
        say("%s: no event is left: no file was written", in->path);
        r = E_NOT_FOUND;
    }
    return r;
}

/* Makes "x-cut.jfr" of "x.jfr" and "-cut". Returns NULL if there is no memory. */
static char *output_name(const char *input, const char *suffix)
{
    const char *base = strrchr(input, '/'), *dot = strstr(base ? base : input, ".jfr");
    int len = (int)(dot ? (size_t)(dot - input) : strlen(input));
    char *name = NULL;
    return asprintf(&name, "%.*s%s.jfr", len, input, suffix) < 0 ? NULL : name;
}

static int write_to(struct cutting *k, const char *input, const char *output)
{
    struct jfr_input in;
    if (jfr_output_takes(output, input)) {
        say("jfr: '%s' is the input: name another file for the output", output);
        return E_SYNTAX;
    }
    int r = jfr_input_open(&in, input, true);
    if (r < 0)
        return r;
    r = jfr_output_open(&k->out, output);
    r = jfr_output_close(&k->out, r < 0 ? r : cut_input(k, &in));
    bool is_whole = jfr_input_close(&in);
    return r == 0 && !is_whole ? E_TRUNCATED : r;
}

int jfr_cut_file(struct jfrtool_cut *cut, const char *path)
{
    struct cutting k = {
        .cut = cut,
        .rewrite = {.keeps = keeps, .replaces = cut->redact || cut->redact_key ? replaces : NULL},
        .redact = {.texts = cut->redact, .keys = cut->redact_key}};
    char *named = cut->output ? NULL : output_name(path, cut->suffix);
    const char *output = cut->output ? cut->output : named;
    k.rewrite.with = &k;
    int r = output ? write_to(&k, path, output) : -ENOMEM;
    if ((r == 0 || r == E_TRUNCATED) && strcmp(output, "-") != 0) {
        say_out("%s: %" PRIu64 " event%s; %" PRIu64 " %s left out", output, k.count.kept,
                plural_s(k.count.kept), k.count.removed, plural_of(k.count.removed, "was", "were"));
        if (k.count.hidden > 0)
            say_out(", %" PRIu64 " text%s redacted", k.count.hidden, plural_s(k.count.hidden));
        putchar('\n');
    }
    jfr_redact_done(&k.redact);
    free(k.verdicts);
    free(named);
    return r == 0 ? CMD_OK : CMD_FAILED;
}
