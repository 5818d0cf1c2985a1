/*
 * query_function.c - see query_function.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_function.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/javaname.h"
#include "base/units.h"
#include "base/wildcard.h"
#include "command/javatext.h"
#include "jfr/jfr_around.h"
#include "jfr/jfr_place.h"
#include "jfr/jfr_value.h"
#include "profile/hidden.h"
#include "profile/profile.h"
#include "query/query_aggregate.h"
#include "query/query_event.h"
#include "query/query_jfr.h"
#include "query/query_scan.h"
#include "query/query_stack.h"
#include "query/query_state.h"
#include "safe/clock.h"

enum { WORDS = 1024, TIME_TEXT = 40, SPAN_BYTES = sizeof(struct jfr_around_span) + 32 };

const struct query_function_row query_function_rows[] = {
    {"ms(d)", "A length of time in milliseconds."},
    {"at(t)", "A moment as a date and a time of UTC."},
    {"bucket(t, '1s')",
     "The beginning of the second, minute (1min) and so on in which a moment is."},
    {"percentile(x, p)", "Aggregate: the value below which p percent of all values are."},
    {"histogram(x)", "Aggregate: how many values begin with each power of two, as JSON."},
    {"top_frame(stack)", "The name of the innermost frame."},
    {"top_method(stack)",
     "The innermost method that is not hidden, with the types of its parameters, as 'jfr view' "
     "has it; top_method(stack, 'noinit'): that is no constructor."},
    {"top_class(stack)", "The class of that method."},
    {"first(x, t), last(x, t)", "Aggregates: the value with the smallest, the greatest t."},
    {"rank_percentile(x, p)",
     "Aggregate: percentile() as the JDK's tool computes it, without fractions."},
    {"has_frame(stack, pattern)",
     "1 if the name of any frame matches the pattern, in which * and ? may stand."},
    {"stack_text(stack, n)", "The names of the n innermost frames, or of all."},
    {"enclosing(event, type, field)",
     "A field of the innermost event of this type that encloses the event, on the same thread."},
    {"retained(id)", "The retained size of an object of the heap."},
    {"path(id)", "A shortest path from a root of the heap to an object."},
    {NULL, NULL},
};

/* What was collected for enclosing(): the spans of one type, with one field. */
struct span_set {
    struct span_set *next;
    char *type, *field;
    struct jfr_around around;
};

struct query_functions {
    struct span_set *sets;
};

/* ---- times */

static void do_ms(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    (void)argc;
    if (query_table_is_number(argv[0]))
        sqlite3_result_double(to, sqlite3_value_double(argv[0]) / NS_PER_MS);
}

static void do_at(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    char text[TIME_TEXT];
    (void)argc;
    if (!query_table_is_number(argv[0]))
        return;
    int64_t ns = sqlite3_value_int64(argv[0]), seconds = ns / NS_PER_S, rest = ns % NS_PER_S;
    if (rest < 0) {
        rest += NS_PER_S;
        seconds--;
    }
    struct javatext_clock c = javatext_clock_at(seconds);
    int len = snprintf(text, sizeof(text), "%04" PRId64 "-%02u-%02u %02u:%02u:%02u.%03u", c.year,
                       c.month, c.day, c.hour, c.minute, c.second, (unsigned)(rest / NS_PER_MS));
    sqlite3_result_text(to, text, len, SQLITE_TRANSIENT);
}

static void do_bucket(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    const char *width = (const char *)sqlite3_value_text(argv[1]);
    uint64_t ns = 0;
    (void)argc;
    if (!query_table_is_number(argv[0]))
        return;
    if (!width || units_parse_duration(width, NS_PER_S, &ns) < 0 || ns == 0 || ns > INT64_MAX) {
        sqlite3_result_error(to, "bucket: wanted is a width, as in bucket(start, '10s')", -1);
        return;
    }
    int64_t t = sqlite3_value_int64(argv[0]), part = t % (int64_t)ns;
    if (part < 0)
        part += (int64_t)ns;
    int64_t start;
    if (!__builtin_sub_overflow(t, part, &start))
        sqlite3_result_int64(to, start);
}

/* ---- stacks */

static struct query *query_of(sqlite3_context *to)
{
    return sqlite3_user_data(to);
}

static uint32_t frames_of(sqlite3_context *to, sqlite3_value *stack, const frame_id **ret_frames)
{
    return sqlite3_value_type(stack) == SQLITE_INTEGER
               ? query_stack_frames(query_of(to), sqlite3_value_int64(stack), ret_frames)
               : 0;
}

/* Gives a text that lives until the query is closed. */
static void give_text(sqlite3_context *to, const char *text)
{
    sqlite3_result_text(to, text, -1, SQLITE_STATIC);
}

static void do_top_frame(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    const frame_id *frames;
    (void)argc;
    if (frames_of(to, argv[0], &frames) > 0)
        give_text(to, query_stack_frame_name(query_of(to), frames[0]));
}

/* The innermost frame that is not hidden, and with `no_init` no constructor; 0: none. */
static frame_id find_method(struct query *q, const frame_id *frames, uint32_t count, bool no_init)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct profile_frame *f = profile_frame_at(q->model, frames[i]);
        const struct profile_method *m = profile_method_at(q->model, f->method);
        bool is_init =
            m->name && strcmp(profile_string_at(q->model, m->name)->bytes, "<init>") == 0;
        if (!hidden_is_frame(q->model, frames[i]) && !(no_init && is_init))
            return frames[i];
    }
    return 0;
}

static void do_top_method(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    struct query *q = query_of(to);
    const frame_id *frames = NULL;
    char parameters[WORDS];
    const char *choice = argc > 1 ? (const char *)sqlite3_value_text(argv[1]) : NULL;
    uint32_t count = frames_of(to, argv[0], &frames);
    frame_id found = find_method(q, frames, count, choice && strcmp(choice, "noinit") == 0);
    if (!found)
        return;
    const struct profile_frame *f = profile_frame_at(q->model, found);
    const struct profile_method *m = profile_method_at(q->model, f->method);
    const char *name = query_stack_frame_name(q, found);
    const char *descriptor =
        m->descriptor ? profile_string_at(q->model, m->descriptor)->bytes : NULL;
    if (!name)
        return;
    char *whole = sqlite3_mprintf(
        "%s%s", name,
        descriptor ? javaname_of_parameters(descriptor, parameters, sizeof(parameters)) : "");
    sqlite3_result_text(to, whole, -1, sqlite3_free);
}

static void do_top_class(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    struct query *q = query_of(to);
    const frame_id *frames = NULL;
    uint32_t count = frames_of(to, argv[0], &frames);
    frame_id found = find_method(q, frames, count, false);
    (void)argc;
    if (!found)
        return;
    const struct profile_method *m =
        profile_method_at(q->model, profile_frame_at(q->model, found)->method);
    if (m->klass)
        give_text(to,
                  profile_string_at(q->model, profile_class_at(q->model, m->klass)->name)->bytes);
}

static void do_stack_text(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    const frame_id *frames;
    uint32_t count = frames_of(to, argv[0], &frames);
    sqlite3_int64 most = argc > 1 ? sqlite3_value_int64(argv[1]) : INT32_MAX;
    if (count == 0)
        return;
    sqlite3_str *text = sqlite3_str_new(sqlite3_context_db_handle(to));
    for (uint32_t i = 0; i < count && i < most; i++) {
        const char *name = query_stack_frame_name(query_of(to), frames[i]);
        sqlite3_str_appendf(text, "%s%s", i > 0 ? " < " : "", name ? name : "?");
    }
    char *whole = sqlite3_str_finish(text);
    sqlite3_result_text(to, whole ? whole : sqlite3_mprintf(""), -1, sqlite3_free);
}

/* Which frames match the pattern of a call; a pattern is asked for all rows of a query. */
struct fits {
    uint32_t room;
    uint8_t of[]; /* by frame: 0 not known, 1 yes, 2 no */
};

static bool frame_fits(sqlite3_context *to, struct fits *fits, frame_id frame,
                       sqlite3_value *pattern)
{
    if (fits && frame < fits->room && fits->of[frame])
        return fits->of[frame] == 1;
    const char *name = query_stack_frame_name(query_of(to), frame);
    bool is_fitting =
        name && wildcard_matches((const char *)sqlite3_value_text(pattern),
                                 (size_t)sqlite3_value_bytes(pattern), name, strlen(name), false);
    if (fits && frame < fits->room)
        fits->of[frame] = is_fitting ? 1 : 2;
    return is_fitting;
}

static void do_has_frame(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    enum { AHEAD = 1 << 16 }; /* frames that the query may still meet */
    const frame_id *frames;
    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL || !sqlite3_value_text(argv[1]))
        return;
    uint32_t count = frames_of(to, argv[0], &frames), i = 0;
    struct fits *fits = sqlite3_get_auxdata(to, 1);
    if (!fits) {
        uint32_t room = profile_frame_count(query_of(to)->model) + AHEAD;
        struct fits *made = sqlite3_malloc64(sizeof(*made) + room);
        if (made) {
            memset(made, 0, sizeof(*made) + room);
            made->room = room;
            sqlite3_set_auxdata(to, 1, made, sqlite3_free);
        }
        fits = sqlite3_get_auxdata(to, 1); /* NULL where the pattern is no constant */
    }
    while (i < count && !frame_fits(to, fits, frames[i], argv[1]))
        i++;
    sqlite3_result_int(to, i < count);
}

/* ---- enclosing() */

static int read_spans(struct query *q, const struct query_jfr_type *type, struct span_set *set)
{
    struct query_scan_wants wants = {
        .only = type, .from_ns = INT64_MIN, .to_ns = INT64_MAX, .with_constants = true};
    struct query_scan s;
    int got;
    query_scan_begin(&s, q, &wants);
    while ((got = query_scan_next(&s)) > 0) {
        const struct jfr_value event = jfr_value_event(s.bind->type, &s.record);
        struct jfr_place place;
        struct jfr_value v;
        char words[WORDS] = "";
        if (!jfr_place_shown(&s.file.chunk, s.jvm, &event, &place))
            continue;
        if (jfr_value_named(&s.file.chunk, &event, set->field, &v))
            jfr_value_words(&s.file.chunk, &v, words, sizeof(words));
        jfr_around_add(&set->around, place.thread, place.start_ns, place.end_ns, words,
                       strlen(words));
        if (set->around.count * SPAN_BYTES > q->options.memory_bytes)
            set->around.error = -ENOMEM;
        if (set->around.error < 0)
            break;
    }
    query_scan_end(&s);
    jfr_around_sort(&set->around);
    return set->around.error < 0 ? set->around.error : got < 0 ? got : 0;
}

static void free_set(struct span_set *set)
{
    jfr_around_done(&set->around);
    free(set->type);
    free(set->field);
    free(set);
}

/* The spans of a type with a field. NULL, and *ret_error, if they cannot be read. */
static const struct span_set *spans_of(struct query *q, const struct query_jfr_type *type,
                                       const char *field, int *ret_error)
{
    struct span_set *set = q->functions->sets;
    while (set && (strcmp(set->type, type->name) != 0 || strcmp(set->field, field) != 0))
        set = set->next;
    if (set)
        return set;
    set = calloc(1, sizeof(*set));
    *ret_error = -ENOMEM;
    if (!set)
        return NULL;
    set->type = strdup(type->name);
    set->field = strdup(field);
    if (set->type && set->field)
        *ret_error = read_spans(q, type, set);
    if (*ret_error < 0) {
        free_set(set);
        return NULL;
    }
    set->next = q->functions->sets;
    q->functions->sets = set;
    return set;
}

static void do_enclosing(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    struct query *q = query_of(to);
    struct query_event_mark mark;
    const char *name = (const char *)sqlite3_value_text(argv[1]);
    const char *field = (const char *)sqlite3_value_text(argv[2]);
    const struct query_jfr_type *type = name ? query_jfr_find(q->jfr, name) : NULL;
    int error = 0;
    (void)argc;
    if (!type || !field) {
        char *why =
            sqlite3_mprintf("enclosing: no input has events of the type '%s'", name ? name : "");
        sqlite3_result_error(to, why ? why : "enclosing: no such type", -1);
        sqlite3_free(why);
        return;
    }
    if (sqlite3_value_type(argv[0]) != SQLITE_BLOB ||
        sqlite3_value_bytes(argv[0]) != (int)sizeof(mark))
        return;
    memcpy(&mark, sqlite3_value_blob(argv[0]), sizeof(mark));
    const struct span_set *set = spans_of(q, type, field, &error);
    if (!set && error == -EINTR)
        sqlite3_interrupt(q->db);
    if (!set) {
        sqlite3_result_error_nomem(to);
        return;
    }
    give_text(to, jfr_around_find(&set->around, mark.thread, mark.start_ns, mark.end_ns));
}

/* ---- all of them */

int query_function_open(struct query *q)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    static const struct {
        const char *name;
        int arguments;
        void (*run)(sqlite3_context *, int, sqlite3_value **);
    } rows[] = {
        {"ms", 1, do_ms},
        {"at", 1, do_at},
        {"bucket", 2, do_bucket},
        {"top_frame", 1, do_top_frame},
        {"top_method", 1, do_top_method},
        {"top_method", 2, do_top_method},
        {"top_class", 1, do_top_class},
        {"stack_text", 1, do_stack_text},
        {"stack_text", 2, do_stack_text},
        {"has_frame", 2, do_has_frame},
        {"enclosing", 3, do_enclosing},
    };
    q->functions = arena_alloc(&q->arena, sizeof(*q->functions));
    if (!q->functions)
        return -ENOMEM;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (sqlite3_create_function_v2(q->db, rows[i].name, rows[i].arguments, flags, q,
                                       rows[i].run, NULL, NULL, NULL) != SQLITE_OK)
            return -ENOMEM;
    return query_aggregate_open(q->db);
}

void query_function_close(struct query_functions *f)
{
    while (f && f->sets) {
        struct span_set *next = f->sets->next;
        free_set(f->sets);
        f->sets = next;
    }
}
