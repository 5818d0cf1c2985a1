/*
 * format_hprof_text.c - reads HPROF text files: java.hprof.txt of this agent and of the original.
 *
 * What concerns a CPU profile is read: THREAD START and END, TRACE, CPU SAMPLES (the ticks of
 * several tables add up) and the quality area; lines of other records are passed over.
 * Layout: docs/format/hprof-text.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "format/format.h"
#include "profile/profile.h"

/* A piece of the file; taking things off its front or end moves `at` or `end`. */
struct span {
    const char *at, *end;
};

/* The state of one reading. */
struct text {
    struct profile *profile;
    struct span rest; /* the lines that have not been taken */
    struct span line; /* the present line, without its end */
    uint64_t line_number;
    frame_id *stack; /* of the present TRACE */
    uint32_t stack_room;
    uint64_t below_cutoff; /* ticks that the tables count but do not list */
    int code;              /* 0, or what went wrong at the present line */
    const char *detail;
};

static int fail(struct text *t, int code, const char *detail)
{
    if (t->code == 0) {
        t->code = code;
        t->detail = detail;
    }
    return 0;
}

/* Take the next line; 0 at the end of the file. */
static int next_line(struct text *t)
{
    if (t->rest.at == t->rest.end || t->code != 0)
        return 0;
    t->line = t->rest;
    t->line_number++;
    const char *newline = memchr(t->line.at, '\n', (size_t)(t->line.end - t->line.at));
    if (!newline)
        return fail(t, E_TRUNCATED, "the last line is cut off");
    t->rest.at = newline + 1;
    t->line.end = newline;
    if (t->line.end > t->line.at && t->line.end[-1] == '\r')
        t->line.end--;
    return 1;
}

/* The next line will be the present one again. */
static void put_back(struct text *t)
{
    t->rest.at = t->line.at;
    t->line_number--;
}

static int starts_with(struct span s, const char *prefix)
{
    size_t len = strlen(prefix);
    return (size_t)(s.end - s.at) >= len && memcmp(s.at, prefix, len) == 0;
}

static int is_text(struct span s, const char *text)
{
    return (size_t)(s.end - s.at) == strlen(text) && starts_with(s, text);
}

static int take(struct span *s, const char *prefix)
{
    if (!starts_with(*s, prefix))
        return 0;
    s->at += strlen(prefix);
    return 1;
}

static void skip_blanks(struct span *s)
{
    while (s->at < s->end && *s->at == ' ')
        s->at++;
}

static void skip_word(struct span *s)
{
    while (s->at < s->end && *s->at != ' ')
        s->at++;
}

/* Decimal, or hexadecimal for base 16; numbers that are too large become the largest. */
static int take_number(struct span *s, unsigned base, uint64_t max, uint64_t *ret_value)
{
    uint64_t value = 0;
    const char *start = s->at;
    for (; s->at < s->end; s->at++) {
        unsigned digit = (unsigned)(*s->at - '0');
        if (digit > 9 && base == 16 && *s->at >= 'a' && *s->at <= 'f')
            digit = (unsigned)(*s->at - 'a') + 10;
        if (digit >= base)
            break;
        value = value > (max - digit) / base ? max : value * base + digit;
    }
    *ret_value = value;
    return s->at > start;
}

static int take_u4(struct span *s, uint32_t *ret_value)
{
    uint64_t value;
    int ok = take_number(s, 10, UINT32_MAX, &value);
    *ret_value = (uint32_t)value;
    return ok;
}

/* Where `text` stands for the last time in `s`, or NULL. */
static const char *find_last(struct span s, const char *text)
{
    size_t len = strlen(text);
    while ((size_t)(s.end - s.at) >= len) {
        const char *at = memrchr(s.at, text[0], (size_t)(s.end - s.at) - len + 1);
        if (!at)
            return NULL;
        if (memcmp(at, text, len) == 0)
            return at;
        s.end = at + len - 1;
    }
    return NULL;
}

static string_id intern(struct text *t, struct span s)
{
    return s.at < s.end ? profile_string(t->profile, s.at, (size_t)(s.end - s.at)) : 0;
}

/* Names may hold quotes, so the fields are found from the end of the line. */
static void read_thread_start(struct text *t, struct span s)
{
    static const char group_field[] = "\", group=\"";
    uint64_t object;
    uint32_t serial;
    if (!take(&s, "(obj=") || !take_number(&s, 16, UINT32_MAX, &object) || !take(&s, ", id = ") ||
        !take_u4(&s, &serial) || !take(&s, ", name=\"") || s.end - s.at < 2 ||
        memcmp(s.end - 2, "\")", 2) != 0) {
        fail(t, E_FORMAT, "a THREAD START that is not (obj=, id =, name=, group=)");
        return;
    }
    s.end -= 2;
    const char *middle = find_last(s, group_field);
    struct span group = {s.end, s.end};
    if (middle) {
        group.at = middle + sizeof group_field - 1;
        s.end = middle;
    }
    if (profile_thread_by_serial(t->profile, serial) == 0)
        profile_add_thread(t->profile, serial, (uint32_t)object, intern(t, s), intern(t, group), 0);
}

static thread_id thread_of(struct text *t, uint32_t serial)
{
    if (serial == 0 || serial == PROFILE_THREAD_UNKNOWN)
        return 0;
    thread_id thread = profile_thread_by_serial(t->profile, serial);
    return thread ? thread : profile_add_thread(t->profile, serial, 0, 0, 0, 0);
}

static void read_thread_end(struct text *t, struct span s)
{
    uint32_t serial;
    if (!take(&s, "(id = ") || !take_u4(&s, &serial) || !take(&s, ")")) {
        fail(t, E_FORMAT, "a THREAD END that is not (id =)");
        return;
    }
    thread_id thread = thread_of(t, serial);
    if (thread != 0)
        profile_end_thread(t->profile, thread);
}

/* CLASS.METHOD: only the class has dots. */
static method_id read_method(struct text *t, struct span s, string_id source)
{
    struct span klass = {s.at, s.at};
    const char *dot = find_last(s, ".");
    if (dot) {
        klass.end = dot;
        s.at = dot + 1;
    }
    string_id class_name = intern(t, klass);
    string_id name = is_text(s, "<Unknown Method>") ? 0 : intern(t, s);
    return profile_method(t->profile, class_name ? profile_class_named(t->profile, class_name) : 0,
                          name, 0, source);
}

/* CLASS.METHOD(SOURCE:LINE), from the end, since a method's name may hold a parenthesis. */
static frame_id read_frame(struct text *t, struct span s)
{
    const char *colon = find_last(s, ":");
    struct span left = {s.at, colon};
    const char *open = colon ? find_last(left, "(") : NULL;
    if (!open || s.end[-1] != ')') {
        fail(t, E_FORMAT, "a frame that is not CLASS.METHOD(SOURCE:LINE)");
        return 0;
    }
    struct span number = {colon + 1, s.end - 1};
    uint64_t line;
    int has_line = take_number(&number, 10, INT32_MAX, &line);
    struct span source = {open + 1, colon};
    string_id source_name = is_text(source, "<Unknown Source>") ? 0 : intern(t, source);
    left.end = open;
    method_id method = read_method(t, left, source_name);
    if (method == 0)
        return 0;
    return profile_frame(t->profile, method, -1, has_line ? (int32_t)line : PROFILE_LINE_NONE);
}

static int push(struct text *t, uint32_t depth, frame_id frame)
{
    if (depth == t->stack_room) {
        uint32_t room = depth ? depth * 2 : 64;
        frame_id *stack = realloc(t->stack, room * sizeof *stack);
        if (!stack)
            return fail(t, -ENOMEM, NULL);
        t->stack = stack;
        t->stack_room = room;
    }
    t->stack[depth] = frame;
    return 1;
}

static void read_trace(struct text *t, struct span s)
{
    uint32_t serial;
    uint32_t thread_serial = 0;
    if (!take_u4(&s, &serial) || !take(&s, ":")) {
        fail(t, E_FORMAT, "a TRACE without a serial number");
        return;
    }
    if (take(&s, " (thread=") && !take_u4(&s, &thread_serial)) {
        fail(t, E_FORMAT, "a TRACE with a thread that is no number");
        return;
    }
    uint32_t depth = 0;
    while (next_line(t)) {
        struct span line = t->line;
        if (!take(&line, "\t")) {
            put_back(t);
            break;
        }
        if (is_text(line, "<empty>"))
            continue;
        frame_id frame = read_frame(t, line);
        if (frame != 0 && push(t, depth, frame))
            depth++;
    }
    if (profile_trace_by_serial(t->profile, serial) == 0)
        profile_add_trace(t->profile, serial, thread_of(t, thread_serial), t->stack, depth);
}

/* A row may name a trace that is not in the file; then its method is all that is known. */
static trace_id trace_of_row(struct text *t, uint32_t serial, struct span method)
{
    trace_id trace = profile_trace_by_serial(t->profile, serial);
    if (trace != 0)
        return trace;
    frame_id frame = 0;
    if (method.at < method.end && !is_text(method, "<empty trace>")) {
        method_id id = read_method(t, method, 0);
        frame = id ? profile_frame(t->profile, id, -1, PROFILE_LINE_NONE) : 0;
    }
    return profile_add_trace(t->profile, serial, 0, &frame, frame != 0);
}

/* rank self% accum% count trace method; returns the ticks of the row. */
static uint64_t read_row(struct text *t, struct span s)
{
    uint32_t rank;
    uint32_t serial;
    uint64_t ticks;
    skip_blanks(&s);
    int ok = take_u4(&s, &rank);
    for (int i = 0; i < 2; i++) {
        skip_blanks(&s);
        skip_word(&s);
    }
    skip_blanks(&s);
    ok = ok && take_number(&s, 10, UINT64_MAX, &ticks);
    skip_blanks(&s);
    ok = ok && take_u4(&s, &serial);
    skip_blanks(&s);
    if (!ok) {
        fail(t, E_FORMAT, "a row of CPU SAMPLES that is not rank, self, accum, count, trace");
        return 0;
    }
    trace_id trace = trace_of_row(t, serial, s);
    if (trace != 0)
        profile_add_ticks(t->profile, trace, ticks);
    return ticks;
}

static void read_cpu_samples(struct text *t, struct span s)
{
    uint64_t missing = 0;
    if (!take(&s, "(total = ") || !take_number(&s, 10, UINT64_MAX, &missing)) {
        fail(t, E_FORMAT, "a CPU SAMPLES table without its total");
        return;
    }
    while (next_line(t)) {
        if (is_text(t->line, "CPU SAMPLES END")) {
            t->below_cutoff += missing;
            if (t->below_cutoff > 0)
                profile_set_quality(t->profile, "below_cutoff", t->below_cutoff);
            return;
        }
        if (starts_with(t->line, "rank "))
            continue;
        uint64_t ticks = read_row(t, t->line);
        missing -= missing < ticks ? missing : ticks;
    }
    fail(t, E_TRUNCATED, "the file ends within a CPU SAMPLES table");
}

/* rank self% accum% live-bytes live-objects bytes objects trace class */
static void read_site(struct text *t, struct span s)
{
    struct profile_site site = {0};
    uint64_t *const counts[] = {&site.live_bytes, &site.live_objects, &site.alloc_bytes,
                                &site.alloc_objects};
    uint32_t number;
    skip_blanks(&s);
    int ok = take_u4(&s, &number);
    for (int i = 0; i < 2; i++) {
        skip_blanks(&s);
        skip_word(&s);
    }
    for (size_t i = 0; ok && i < sizeof counts / sizeof *counts; i++) {
        skip_blanks(&s);
        ok = take_number(&s, 10, UINT64_MAX, counts[i]);
    }
    skip_blanks(&s);
    ok = ok && take_u4(&s, &number);
    skip_blanks(&s);
    if (!ok) {
        fail(t, E_FORMAT, "a row of SITES that is not rank, self, accum, counts, trace, class");
        return;
    }
    string_id name = intern(t, s);
    site.klass = name ? profile_class_named(t->profile, name) : 0;
    site.trace = profile_trace_by_serial(t->profile, number);
    if (site.trace == 0)
        site.trace = profile_add_trace(t->profile, number, 0, NULL, 0);
    if (site.klass != 0 && site.trace != 0)
        profile_add_site(t->profile, &site);
}

/* Counts are since the start, so a later table takes the place of an earlier one. */
static void read_sites(struct text *t, struct span s)
{
    (void)s;
    profile_clear_sites(t->profile);
    while (next_line(t)) {
        if (is_text(t->line, "SITES END"))
            return;
        if (!starts_with(t->line, "          percent") && !starts_with(t->line, " rank "))
            read_site(t, t->line);
    }
    fail(t, E_TRUNCATED, "the file ends within a SITES table");
}

/* Lines of "  name = count" up to the first that is not indented by two blanks. */
static void read_quality(struct text *t)
{
    while (next_line(t)) {
        struct span s = t->line;
        if (!take(&s, "  ")) {
            put_back(t);
            return;
        }
        struct span name = s;
        skip_word(&s);
        name.end = s.at;
        uint64_t count;
        string_id id = 0;
        if (take(&s, " = ") && take_number(&s, 10, UINT64_MAX, &count))
            id = intern(t, name);
        if (id != 0)
            profile_set_quality(t->profile, profile_string_at(t->profile, id)->bytes, count);
    }
}

static void read_quality_block(struct text *t, struct span rest_of_line)
{
    (void)rest_of_line;
    read_quality(t);
}

static void read_prologue(struct text *t)
{
    while (next_line(t)) {
        if (starts_with(t->line, "--------"))
            return;
        if (starts_with(t->line, "  hprof quality"))
            read_quality(t);
    }
    fail(t, E_TRUNCATED, "the file ends before the line of dashes");
}

/* One row a record that is read: the words its line begins with. */
static const struct record {
    const char *words;
    void (*read)(struct text *t, struct span rest_of_line);
} records[] = {
    {"THREAD START ", read_thread_start},
    {"THREAD END ", read_thread_end},
    {"TRACE ", read_trace},
    {"CPU SAMPLES BEGIN ", read_cpu_samples},
    {"SITES BEGIN ", read_sites},
    {"  hprof quality", read_quality_block}, /* of a stream; else it is in the prologue */
};

static int probe(const unsigned char *bytes, size_t len)
{
    static const char head[] = "JAVA PROFILE 1.0.1, created ";
    return len >= sizeof head - 1 && memcmp(bytes, head, sizeof head - 1) == 0 ? 2 : 0;
}

static int read_text(const unsigned char *bytes, size_t len, struct profile *profile,
                     struct format_error *ret_error)
{
    const char *start = (const char *)bytes;
    struct text t = {.profile = profile, .rest = {start, start + len}, .line = {start, start}};
    uint64_t lost_before = profile_lost(profile);
    if (!probe(bytes, len))
        fail(&t, E_FORMAT, "the first line is not that of an HPROF text file");
    else
        read_prologue(&t);
    while (next_line(&t)) {
        for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
            struct span line = t.line;
            if (take(&line, records[i].words)) {
                records[i].read(&t, line);
                break; /* the present line may be another one now */
            }
        }
        if (profile_lost(profile) != lost_before)
            fail(&t, E_LIMIT, "the memory for the profile is used up");
    }
    free(t.stack);
    if (t.code != 0)
        *ret_error =
            (struct format_error){t.code, (uint64_t)(t.line.at - start), t.line_number, t.detail};
    return t.code;
}

const struct format format_hprof_text = {
    .name = "hprof-text",
    .help = "HPROF text: java.hprof.txt of hprof and of the JDK 8 agent (CPU samples)",
    .suffixes = ".hprof.txt .txt",
    .probe = probe,
    .read = read_text,
};
