/*
 * convert.c - see convert.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/convert.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/plural.h"
#include "base/sink.h"
#include "reading/gather.h"
#include "reading/keys.h"
#include "reading/load.h"
#include "command/diag_say.h"
#include "command/outfile.h"
#include "command/say.h"
#include "report/shown.h"
#include "report/trust.h"
#include "format/format.h"
#include "format/hprof_file.h"
#include "format/idmap.h"
#include "gzip/gzsink.h"
#include "profile/moments.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "profile/sums.h"
#include "profile/typed_events.h"

/* For each kind, by row of its sums: the number of the event that the row became in the file; 0:
 * the row was not written. NULL: the numbers are not needed. */
struct numbers {
    uint32_t *of[KIND_COUNT];
};

static int write_kind(struct writer_out *o, enum kind_id kind, struct shown *s, uint32_t *numbers)
{
    const struct sums *sums = profile_sums(o->profile, kind);
    int r = 0;
    for (uint32_t i = 1; i <= sums->rows.count && r == 0; i++) {
        const struct sum *sum = sums_at(sums, i);
        struct event event = sums_event(kind, sum);
        int wanted = writer_can(o->writer, WRITER_PICTURE)
                         ? shown_trace(s, sum->trace, sum->context, &event.trace)
                         : 1;
        o->row += wanted > 0;
        if (wanted > 0 && numbers)
            numbers[i] = o->row;
        r = wanted > 0 ? writer_event(o, &event) : wanted;
    }
    return r;
}

static int write_moments(struct writer_out *o, const struct numbers *numbers)
{
    struct moments_at at = moments_begin(profile_moments(o->profile));
    struct moment m;
    int r = 0;
    while (r == 0 && moments_next(&at, &m)) {
        uint32_t row = numbers->of[m.kind] ? numbers->of[m.kind][m.row] : 0;
        struct event event = {.kind = m.kind, .time_ns = m.time_ns};
        memcpy(event.value, m.value, sizeof(event.value));
        if (row)
            r = writer_moment(o, row, &event);
    }
    return r;
}

/* Makes the trace that is shown for an event. Many events have the same trace and context, so
 * `known` keeps the result. Returns what shown_trace() returns. */
static int show_again(struct shown *s, struct idmap *known, const struct typed_event *event,
                      trace_id *ret_trace)
{
    uint64_t key = (uint64_t)event->context << 32 | event->trace;
    int r;
    *ret_trace = idmap_get(known, key);
    if (*ret_trace)
        return 1;
    r = shown_trace(s, event->trace, event->context, ret_trace);
    if (r > 0)
        idmap_put(known, key, *ret_trace);
    return r;
}

static int write_type(struct writer_out *o, const struct typed_type *type, struct shown *s,
                      struct idmap *known)
{
    enum kind_id kind;
    int r = 0;
    (void)kind_jfr_of(KIND_JFR_OF_APPLICATION, &kind);
    for (uint32_t i = 1; i <= type->kept.count && r == 0; i++) {
        const struct typed_event *kept = typed_events_kept(type, i);
        const struct custom_event custom = {&type->type, kept->values};
        struct event event = {.kind = kind,
                              .context = kept->context,
                              .time_ns = kept->time_ns,
                              .value = {kept->duration_ns, 1},
                              .custom = &custom};
        r = show_again(s, known, kept, &event.trace);
        if (r > 0)
            r = writer_event(o, &event);
    }
    return r;
}

/* Writes the single events, except types whose events are all in the series that is shown: they are
 * its samples. */
static int write_types(struct writer_out *o, struct shown *s)
{
    const struct typed_events *all = profile_typed(o->profile);
    struct idmap known;
    int r = 0;
    idmap_init(&known);
    for (uint32_t i = 1; i <= typed_events_count(all) && r == 0; i++)
        if (typed_events_at(all, i)->kinds != 1u << o->kind)
            r = write_type(o, typed_events_at(all, i), s, &known);
    idmap_done(&known);
    return r;
}

/* Writes the file: all kinds of `o->kinds`, then their moments and the single events, if the format
 * shows them. */
static int write_events(struct writer_out *o, const struct convert *c, void *shown)
{
    struct numbers numbers = {{NULL}};
    int r = writer_begin(o);
    for (int kind = 0; kind < KIND_COUNT && r == 0; kind++) {
        uint32_t **of = &numbers.of[kind];
        if (!(o->kinds >> kind & 1))
            continue;
        if (o->timed_kinds >> kind & 1) {
            *of = calloc(profile_sums(o->profile, kind)->rows.count + (size_t)1, sizeof(**of));
            r = *of ? 0 : -ENOMEM;
        }
        if (r == 0)
            r = write_kind(o, (enum kind_id)kind, shown, *of);
    }
    if (r == 0 && o->timed_kinds)
        r = write_moments(o, &numbers);
    if (r == 0 && writer_can(o->writer, WRITER_TYPES))
        r = write_types(o, shown);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        free(numbers.of[kind]);
    int ended = writer_end(o);
    return r != 0 ? r : ended;
}

/* Writes the names of the series that the profile has, as in " cpu lock". */
static void list_series(struct profile *profile, char *to, size_t room)
{
    size_t len = 0;
    *to = '\0';
    for (const struct series *each = series_next_in(NULL, profile); each && len < room;
         each = series_next_in(each, profile))
        len += (size_t)snprintf(to + len, room - len, " %s", each->word);
}

bool convert_has(const char *source, const struct series *wanted, struct profile *profile)
{
    char words[128];
    if (series_is_in(wanted, profile))
        return true;
    list_series(profile, words, sizeof(words));
    if (*words)
        say("%s: has no '%s'; it has:%s", source, wanted->word, words);
    else
        say("%s: has no '%s'", source, wanted->word);
    return false;
}

static const char *path_of(const struct convert *c)
{
    return strcmp(c->path, "-") == 0 ? "standard output" : c->path;
}

static void say_no_place(const struct convert *c, const char *source, struct profile *profile)
{
    char words[128], drawable[TRUST_DRAWABLE], why[2 + TRUST_DRAWABLE];
    list_series(profile, words, sizeof(words));
    if (trust_drawable(profile, drawable, sizeof(drawable)))
        snprintf(why, sizeof(why), "; %s", drawable);
    else
        trust_why_none(profile, why, sizeof(why));
    if (*words)
        say("%s: files of the format '%s' have no place for what it has:%s", source,
            c->format->name, words);
    else
        say("%s: '%s' is not written: the file has no sample, and nothing else that is drawn%s",
            source, path_of(c), why);
}

static bool holds(const struct format *format, const struct series *series)
{
    return format->writer->kinds == 0 || format->writer->kinds >> series->kind & 1;
}

/* Whether a MONITOR DUMP is all that there is to write. A MONITOR DUMP has no counts, and only some
 * formats have a place for it. */
static bool has_only_monitors(const struct convert *c, struct profile *profile)
{
    return !series_next_in(NULL, profile) && !c->series &&
           !writer_can(c->format->writer, WRITER_PICTURE) &&
           c->format->writer->kinds >> kind_of_text(KIND_TEXT_ENTERS) & 1 &&
           hprof_file_of(profile)->monitor_dumps > 0;
}

static bool has_single_events(const struct format *format, struct profile *profile)
{
    return writer_can(format->writer, WRITER_TYPES) && profile_typed(profile)->first_ns != 0;
}

/* The first series that the profile has and the format can hold; NULL: none. */
static const struct series *first_held(const struct convert *c, struct profile *profile)
{
    const struct series *each = series_next_in(NULL, profile);
    while (each && !holds(c->format, each))
        each = series_next_in(each, profile);
    return each;
}

/* Whether single events are all that there is to write. */
static bool has_only_single_events(const struct convert *c, struct profile *profile)
{
    return !first_held(c, profile) && !c->series && has_single_events(c->format, profile);
}

/* If the user named types of events, the profile must have single events. Errors: 0; E_NOT_FOUND
 * after saying so. */
static int check_types(const struct convert *c, const char *source, struct profile *profile)
{
    if (!c->types || has_single_events(c->format, profile))
        return 0;
    say("%s: has no events of the types '%s'; 'hprof jfr summary' lists those of a recording",
        source, c->types);
    return E_NOT_FOUND;
}

/* Says for which types the file has only a part of the events. */
static void say_left(const char *source, struct profile *profile)
{
    const struct typed_events *all = profile_typed(profile);
    for (uint32_t i = 1; i <= typed_events_count(all); i++) {
        const struct typed_type *type = typed_events_at(all, i);
        if (type->kept.count < type->count)
            say("%s: %" PRIu32 " of %" PRIu64 " events of %s are markers: %s", source,
                type->kept.count, type->count, type->type.name,
                type->bound_ns ? "those that took longest" : "from all of the time");
    }
    if (all->lost)
        say("%s: %" PRIu64 " event%s found no room, and %s missing among the markers", source,
            all->lost, plural_s(all->lost), plural_of(all->lost, "is", "are"));
}

/* The series to write if the user named none: `c->first` if the profile has it, otherwise the first
 * series that the format can hold. NULL: none. */
static const struct series *first_series(const struct convert *c, struct profile *profile)
{
    if (c->first && series_is_in(c->first, profile) && holds(c->format, c->first))
        return c->first;
    const struct series *first = first_held(c, profile);
    if (c->first && first)
        say("%s: nothing of '%s' was measured: it shows '%s'", c->path, c->first->word,
            first->word);
    return first;
}

/* The series that the user named, otherwise first_series(). NULL: it cannot be written, after
 * saying why. */
static const struct series *find_series(const struct convert *c, const char *source,
                                        struct profile *profile)
{
    const struct series *first = c->series;
    if (first && !convert_has(source, first, profile))
        return NULL;
    if (!first && !(first = first_series(c, profile)))
        say_no_place(c, source, profile);
    if (!first || holds(c->format, first))
        return first;
    say("%s: files of the format '%s' have no place for '%s'", source, c->format->name,
        first->word);
    return NULL;
}

/* Says, for example: "out.html shows 'wall', and not 'alloc', 'lock'; ...". */
static void say_rest(const struct convert *c, const struct series *shown, struct profile *profile)
{
    char words[128] = "";
    size_t len = 0;
    const struct series *other = NULL;
    for (const struct series *each = series_next_in(NULL, profile); each && len < sizeof(words);
         each = series_next_in(each, profile)) {
        if (each == shown)
            continue;
        len += (size_t)snprintf(words + len, sizeof(words) - len, "%s'%s'", other ? ", " : "",
                                each->word);
        other = other ? other : each;
    }
    if (other)
        say("%s shows '%s', and not %s; 'hprof report -e %s -o FILE' draws that of %s", c->path,
            shown->word, words, other->word, c->rest);
}

static int write_packed(struct sink *to, struct writer_out *o, const struct convert *c,
                        convert_writer *write, void *with)
{
    struct gzsink packed;
    int r = gzsink_open(&packed, to);
    o->sink = &packed.sink;
    if (r == 0)
        r = write(o, c, with);
    o->sink = NULL;
    int closed = gzsink_close(&packed);
    return r != 0 ? r : closed;
}

int convert_with(const struct convert *c, struct writer_out *o, convert_writer *write, void *with)
{
    struct outfile file;
    struct sink sink;
    int r = outfile_open(c->command, c->path, &file);
    if (r < 0)
        return r;
    r = sink_init(&sink, file.file.fd);
    if (r == 0) {
        o->sink = &sink;
        r = gzsink_suffix(c->path) > 0 ? write_packed(&sink, o, c, write, with) : write(o, c, with);
        int done = sink_done(&sink);
        r = r != 0 ? r : done;
    }
    if (r == E_LIMIT)
        say("%s: cannot write '%s': a number, or a sum of numbers, is larger than files of the "
            "format '%s' can hold; -e chooses another value",
            c->command, path_of(c), c->format->name);
    else if (r < 0)
        say("%s: cannot write '%s': %s", c->command, path_of(c), err_text(r));
    return outfile_close(&file, r);
}

/* Whether there is anything to write for the stacks that pass the patterns. */
static bool finds_any(const struct convert *c, const struct writer_out *o, struct shown *s)
{
    bool is_of_one_value = c->format->writer->kinds == 0;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        const struct sums *sums = profile_sums(o->profile, (enum kind_id)kind);
        for (uint32_t i = 1; o->kinds >> kind & 1 && i <= sums->rows.count; i++) {
            const struct sum *sum = sums_at(sums, i);
            if ((!is_of_one_value || sum->value[o->value] > 0) && shown_wants(s, sum->trace))
                return true;
        }
    }
    return false;
}

/* Errors: 0; E_NOT_FOUND after saying which pattern leaves nothing to write. */
static int check_patterns(const struct convert *c, const struct writer_out *o, struct shown *s,
                          const char *source)
{
    const struct shown_how *how = &c->how;
    if ((!how->include && !how->exclude) || finds_any(c, o, s))
        return 0;
    if (!how->include)
        say("%s: every stack matches --exclude '%s'", source, how->exclude_text);
    else if (!how->exclude)
        say("%s: no stack matches --include '%s'", source, how->include_text);
    else
        say("%s: no stack matches --include '%s' and not --exclude '%s'", source, how->include_text,
            how->exclude_text);
    return E_NOT_FOUND;
}

/* Sets which kinds are written as sums, and which of them have times. Events that are written one
 * by one are not also written as sums, unless they are the series that is shown. If the user named
 * types of events, the series that is shown is the only sum. */
static void set_times(struct writer_out *o, const struct convert *c)
{
    const struct format *format = c->format;
    const struct moments *m = profile_moments(o->profile);
    const struct typed_events *single = profile_typed(o->profile);
    if (!writer_can(format->writer, WRITER_TIMES))
        return;
    if (writer_can(format->writer, WRITER_TYPES))
        o->kinds &= 1u << o->kind | (c->types ? 0 : ~single->kinds);
    o->timed_kinds = m->kinds & o->kinds;
    o->first_ns = m->first_ns;
    o->last_ns = m->last_ns;
    if (has_single_events(format, o->profile) && (!o->first_ns || single->first_ns < o->first_ns))
        o->first_ns = single->first_ns;
}

const struct series *convert_drawn(const char *source, const char *types, struct profile *profile)
{
    enum kind_id kind;
    (void)kind_jfr_of(KIND_JFR_OF_USER, &kind);
    const struct series *all = kind_all[kind]->series;
    for (int i = 0; i < KIND_SERIES && all[i].word; i++)
        if (series_is_in(&all[i], profile))
            return &all[i];
    say("%s: has no events of the type '%s' with a stack; 'hprof jfr summary' lists the types of a "
        "recording",
        source, types);
    return NULL;
}

/* `title` is the source of the profile, as a page names it. */
static int write_titled(const struct convert *wanted, const char *source, const char *title,
                        struct profile *profile)
{
    struct convert own = *wanted;
    const struct convert *c = &own;
    if (own.drawn && !(own.series = convert_drawn(source, own.drawn, profile)))
        return E_NOT_FOUND;

    bool has_none = has_only_monitors(c, profile) || has_only_single_events(c, profile);
    const struct series *series = has_none ? NULL : find_series(c, source, profile);
    struct shown s;
    int r = E_NOT_FOUND;

    if ((!series && !has_none) || check_types(c, source, profile) < 0)
        return r;
    struct writer_out out = {.writer = c->format->writer,
                             .profile = profile,
                             .kinds = c->format->writer->kinds,
                             .source = title,
                             .title = c->drawn,
                             .with_tiers = c->with_tiers,
                             .has_dots = c->has_dots};
    if (series) {
        out.kind = series->kind;
        out.value = series->value;
        if (c->series || c->format->writer->kinds == 0)
            out.kinds = 1u << series->kind;
    }
    set_times(&out, c);
    if (writer_can(c->format->writer, WRITER_NEEDS_TIMES) && !out.timed_kinds) {
        say("%s: has no times, which files of the format '%s' show; JFR recordings have them",
            source, c->format->name);
        return E_UNSUPPORTED;
    }
    struct shown_how how = c->how;
    how.with_processes = writer_can(c->format->writer, WRITER_PROCESSES);
    r = shown_init(&s, profile, &how);
    if (r < 0)
        say("%s: %s", source, strerror(ENOMEM));
    if (r == 0 && c->how.by && !keys_has(source, c->how.by, profile, diag_say()))
        r = E_NOT_FOUND;
    if (r == 0 && series)
        r = check_patterns(c, &out, &s, source);
    if (r == 0)
        r = convert_with(c, &out, write_events, &s);
    shown_done(&s);
    if (r == 0 && series && c->rest && c->format->writer->kinds == 0)
        say_rest(c, series, profile);
    if (r == 0 && writer_can(c->format->writer, WRITER_TYPES))
        say_left(source, profile);
    return r;
}

const char *convert_title(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

int convert_write(const struct convert *c, const char *source, struct profile *profile)
{
    return write_titled(c, source, convert_title(source), profile);
}

/* If only one series is written, the other series need not be read. But if the user did not name
 * the series, all of the file is read when a message must name the other series (`rest`), when
 * another series than the file's first may be shown (`first`), and when the user asks for a key, a
 * part of the time or a state of threads: the file's first series may have no such events. */
static int open_file(const struct convert *c, const char *path, const struct load_how *how,
                     struct load *ret_load)
{
    bool is_part = window_is_set(&how->window) || how->want.states || c->how.by;
    bool is_any = c->format->writer->kinds == 0 && !c->first && !c->rest && !is_part;
    return !c->drawn && (c->series || is_any)
               ? load_open_series(path, how, c->series, diag_say(), ret_load)
               : load_open(path, how, diag_say(), ret_load);
}

/* If only one series is written, single events are read only if the user named their types. */
void convert_want(const struct convert *c, struct load_how *how)
{
    const struct writer *writer = c->format->writer;
    how->want.with_processes |= writer_can(writer, WRITER_PROCESSES);
    how->want.with_times = writer_can(writer, WRITER_TIMES);
    how->want.with_contexts = c->how.by || writer_can(writer, WRITER_CONTEXTS);
    how->want.with_types = writer_can(writer, WRITER_TYPES) && (!c->series || c->types);
    how->want.types = c->types;
    how->want.drawn = c->drawn;
}

int convert_file(const struct convert *c, const char *path, const struct load_how *how,
                 bool *ret_is_empty)
{
    struct load_how wanted = *how;
    struct load load;
    wanted.want.with_threads = writer_can(c->format->writer, WRITER_PICTURE) && !c->how.no_threads;
    wanted.want.by = c->how.by;
    convert_want(c, &wanted);
    int r = open_file(c, path, &wanted, &load);
    bool has_nothing = r == 0 && load_is_empty(&load);
    if (ret_is_empty)
        *ret_is_empty = has_nothing;
    if (has_nothing && ret_is_empty)
        r = E_NOT_FOUND;
    else if (r == 0)
        r = convert_write(c, how->name ? how->name : path, load.profile);
    if (r == 0 && load.damaged)
        r = E_TRUNCATED;
    load_close(&load);
    return r;
}

int convert_files(const struct convert *c, const struct gather_file *files, size_t count,
                  const struct load_how *how)
{
    struct load_how wanted = *how;
    struct load load;
    char *title = NULL;
    convert_want(c, &wanted);
    int r = gather_open(files, count, &wanted, diag_say(), &load);
    if (r == 0 && asprintf(&title, "%s and %zu more", convert_title(files[0].path), count - 1) < 0)
        title = NULL;
    if (r == 0)
        r = write_titled(c, "the files", title, load.profile);
    free(title);
    if (r == 0 && load.damaged)
        r = E_TRUNCATED;
    load_close(&load);
    return r;
}
