/*
 * convert.c - see convert.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/convert.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/newfile.h"
#include "base/sink.h"
#include "cli/demangle.h"
#include "cli/outfile.h"
#include "cli/say.h"
#include "cli/summary.h"
#include "format/format.h"
#include "gzip/gzsink.h"
#include "profile/found.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "profile/sums.h"

enum { FRAME_OPEN = 0, FRAME_NONE = UINT32_MAX }; /* not looked at yet; left out */

/* Frames as they are shown, by the frames of the file. */
struct shown {
    struct profile *profile;
    bool with_hidden;
    frame_id *frames;
    uint32_t count; /* frames of the file: those behind them were made here */
    frame_id *stack;
    uint32_t stack_room;
};

/* A C++ function without its parameters. */
static frame_id demangled(struct profile *p, frame_id id)
{
    const struct profile_frame frame = *profile_frame_at(p, id);
    const struct profile_method method = *profile_method_at(p, frame.method);
    char *owned = NULL;
    const char *name =
        method.name != 0 ? demangle(profile_string_at(p, method.name)->bytes, &owned) : "";

    if (owned) {
        string_id text = profile_string(p, name, demangle_without_parameters(name));
        method_id clean = profile_method(p, method.klass, text, method.descriptor, method.source);

        if (clean != 0)
            id = profile_frame_of(p, frame.kind, clean, frame.bci, frame.line);
    }
    free(owned);
    return id;
}

static frame_id show_frame(struct shown *s, frame_id id)
{
    if (s->frames[id] == FRAME_OPEN) {
        if (!s->with_hidden && summary_is_hidden(s->profile, id))
            s->frames[id] = FRAME_NONE;
        else
            s->frames[id] = profile_frame_at(s->profile, id)->kind == FRAME_NATIVE
                                ? demangled(s->profile, id)
                                : id;
    }
    return s->frames[id];
}

/* Of nothing but hidden frames the outermost is shown. 0: no memory. */
static trace_id show_trace(struct shown *s, trace_id id)
{
    const struct profile_trace *trace = profile_trace_at(s->profile, id);
    uint32_t depth = 0;

    if (trace->depth > s->stack_room) {
        frame_id *stack = realloc(s->stack, trace->depth * sizeof(*stack));

        if (!stack)
            return 0;
        s->stack = stack;
        s->stack_room = trace->depth;
    }
    for (uint32_t i = 0; i < trace->depth; i++) {
        frame_id frame = show_frame(s, trace->frames[i]);

        if (frame != FRAME_NONE)
            s->stack[depth++] = frame;
        else if (i + 1 == trace->depth && depth == 0)
            s->stack[depth++] = trace->frames[i];
    }
    return profile_trace(s->profile, trace->thread, s->stack, depth);
}

static int write_kind(struct format_out *o, const struct format *format, enum event_kind kind,
                      struct shown *s)
{
    const struct sums *sums = profile_sums(o->profile, kind);
    int r = 0;

    for (uint32_t i = 1; i <= sums->rows.count && r == 0; i++) {
        const struct sum *sum = sums_at(sums, i);
        struct event event = {
            .kind = kind, .trace = sum->trace, .klass = sum->klass, .text = sum->text};

        memcpy(event.value, sum->value, event_values(kind) * sizeof(*event.value));
        if (format->is_picture)
            event.trace = show_trace(s, sum->trace);
        r = event.trace != 0 ? format->event(o, &event) : -ENOMEM;
    }
    return r;
}

/* Of a format that holds many kinds, all that are wanted and there. */
static int write_events(struct format_out *o, const struct convert *c, struct shown *s)
{
    int r = c->format->begin(o);

    for (int kind = 0; kind < EVENT_KINDS && r == 0; kind++)
        if (o->kinds >> kind & 1)
            r = write_kind(o, c->format, (enum event_kind)kind, s);
    int ended = c->format->end(o);
    return r != 0 ? r : ended;
}

/* "nowhere.txt: has no 'times'; it has: cpu lock" */
static void say_series(const char *source, const struct format *format, const struct series *wanted,
                       struct profile *profile)
{
    char words[128] = "";
    size_t count, len = 0;
    const struct series *all = series_all(&count);

    for (size_t i = 0; i < count && len < sizeof(words); i++)
        if (series_is_in(&all[i], profile))
            len += (size_t)snprintf(words + len, sizeof(words) - len, " %s", all[i].word);
    if (wanted && len > 0)
        say("%s: has no '%s'; it has:%s", source, wanted->word, words);
    else if (len > 0)
        say("%s: files of the format '%s' have no place for what it has:%s", source, format->name,
            words);
    else
        say("%s: nothing to write: the file has no counts", source);
}

static bool holds(const struct format *format, const struct series *series)
{
    return format->kinds == 0 || format->kinds >> series->kind & 1;
}

/* A MONITOR DUMP has no counts: it is written where a format has a place for it. */
static bool has_only_monitors(const struct convert *c, struct profile *profile)
{
    size_t count;
    const struct series *all = series_all(&count);

    for (size_t i = 0; i < count; i++)
        if (series_is_in(&all[i], profile))
            return false;
    return !c->series && !c->format->is_picture && c->format->kinds >> EVENT_ENTER & 1 &&
           profile_found(profile)->monitor_dumps > 0;
}

/* What is wanted, or else the first that there is and the format can hold. */
static const struct series *find_series(const struct convert *c, const char *source,
                                        struct profile *profile)
{
    size_t count;
    const struct series *all = series_all(&count), *first = NULL;

    for (size_t i = 0; i < count && !first; i++)
        if (series_is_in(&all[i], profile) && holds(c->format, &all[i]))
            first = &all[i];
    if (c->series)
        first = series_is_in(c->series, profile) ? c->series : NULL;
    if (!first)
        say_series(source, c->format, c->series, profile);
    if (!first || holds(c->format, first))
        return first;
    say("%s: files of the format '%s' have no place for '%s'", source, c->format->name,
        first->word);
    return NULL;
}

static int open_path(const char *command, const char *path, struct newfile *ret_file)
{
    const char *why = "";
    char *old = NULL;
    int r;

    if (strcmp(path, "-") == 0) {
        *ret_file = (struct newfile){.fd = STDOUT_FILENO};
        return 0;
    }
    r = outfile_move_aside(command, path, &old);
    if (r == 0)
        r = newfile_open(path, 0666, NEWFILE_KEEP, ret_file, &why);
    if (r < 0 && *why != '\0')
        say("%s: cannot write '%s': %s", command, path, why);
    free(old);
    return r;
}

static int write_packed(struct sink *to, struct format_out *o, const struct convert *c,
                        struct shown *s)
{
    struct gzsink packed;
    int r = gzsink_open(&packed, to);

    o->sink = &packed.sink;
    if (r == 0)
        r = write_events(o, c, s);
    o->sink = NULL;
    int closed = gzsink_close(&packed);
    return r != 0 ? r : closed;
}

static int write_file(const struct convert *c, struct format_out *o, struct shown *s)
{
    struct newfile file = {.fd = -1};
    struct sink sink;
    int r = open_path(c->command, c->path, &file);

    if (r < 0)
        return r;
    r = sink_init(&sink, file.fd);
    if (r == 0) {
        o->sink = &sink;
        r = gzsink_suffix(c->path) > 0 ? write_packed(&sink, o, c, s) : write_events(o, c, s);
        int done = sink_done(&sink);
        r = r != 0 ? r : done;
    }
    if (file.fd != STDOUT_FILENO && close(file.fd) < 0 && r == 0)
        r = -errno;
    if (r < 0 && file.is_ours)
        unlink(c->path);
    if (r < 0)
        say("%s: cannot write '%s': %s", c->command,
            strcmp(c->path, "-") == 0 ? "standard output" : c->path, err_text(r));
    return r;
}

const struct format *convert_format_for(const char *path)
{
    char *plain = strndup(path, strlen(path) - (size_t)gzsink_suffix(path));
    const struct format *format = plain ? format_for_file(plain) : NULL;

    free(plain);
    return format;
}

int convert_write(const struct convert *c, const char *source, struct profile *profile)
{
    bool is_dump = has_only_monitors(c, profile);
    const struct series *series = is_dump ? NULL : find_series(c, source, profile);
    struct shown s = {.profile = profile, .with_hidden = c->with_hidden};
    int r = E_NOT_FOUND;

    if (!series && !is_dump)
        return r;
    struct format_out out = {.profile = profile, .kinds = c->format->kinds};
    if (series) {
        out.kind = series->kind;
        out.value = series->value;
        if (c->series || c->format->kinds == 0)
            out.kinds = 1u << series->kind;
    }
    s.count = profile_frame_count(profile);
    s.frames = calloc(s.count + (size_t)1, sizeof(*s.frames));
    if (s.frames)
        r = write_file(c, &out, &s);
    else
        say("%s: %s", source, strerror(ENOMEM));
    free(s.frames);
    free(s.stack);
    return r;
}
