/*
 * firefox_tables.c - see firefox_tables.h.
 *
 * Source: Firefox Profiler, src/types/profile.ts, version 70 of the processed profile.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/firefox_tables.h"
#include <string.h>
#include "base/sink.h"
#include "format/frame_name.h"
#include "format/json_out.h"

/* Category 0 is for everything that is not a frame. The category of a frame is its kind + 1. */
static const struct {
    const char *name, *color;
} categories[] = {
    {"Other", "grey"},
    [FRAME_JAVA + 1] = {"Java", "green"},
    [FRAME_INTERPRETED + 1] = {"Java, interpreted", "yellow"},
    [FRAME_C1 + 1] = {"Java, compiled by C1", "lightblue"},
    [FRAME_C2 + 1] = {"Java, compiled by C2", "green"},
    [FRAME_INLINED + 1] = {"Java, inlined", "blue"},
    [FRAME_NATIVE + 1] = {"Native", "red"},
    [FRAME_KERNEL + 1] = {"Kernel", "orange"},
};

enum { CATEGORIES = sizeof(categories) / sizeof(*categories) };
enum { FUNCTION_NAME, FUNCTION_SOURCE, FUNCTION_WORDS };
enum { FRAME_FUNCTION, FRAME_CATEGORY, FRAME_LINE, FRAME_WORDS };
enum { STACK_CALLER, STACK_FRAME, STACK_WORDS };

void firefox_tables_init(struct firefox_tables *t, struct profile *p)
{
    *t = (struct firefox_tables){.profile = p};
    wordset_init(&t->strings);
    wordset_init(&t->sources);
    wordset_init(&t->functions);
    wordset_init(&t->frames);
    wordset_init(&t->stacks);
    wordset_init(&t->groups);
}

void firefox_tables_done(struct firefox_tables *t)
{
    wordset_done(&t->strings);
    wordset_done(&t->sources);
    wordset_done(&t->functions);
    wordset_done(&t->frames);
    wordset_done(&t->stacks);
    wordset_done(&t->groups);
}

uint32_t firefox_tables_string(struct firefox_tables *t, string_id id)
{
    return id ? wordset_add(&t->strings, &id, 1) : 0;
}

static uint32_t source_of(struct firefox_tables *t, string_id file)
{
    uint32_t string = firefox_tables_string(t, file);
    return string ? wordset_add(&t->sources, &string, 1) : 0;
}

/* The stack `caller` with one more frame. 0: no memory. */
static uint32_t push(struct firefox_tables *t, uint32_t caller, string_id name, string_id file,
                     uint32_t category, int32_t line)
{
    const uint32_t function[FUNCTION_WORDS] = {firefox_tables_string(t, name), source_of(t, file)};
    const uint32_t frame[FRAME_WORDS] = {
        function[FUNCTION_NAME] ? wordset_add(&t->functions, function, FUNCTION_WORDS) : 0,
        category, line > 0 ? (uint32_t)line : 0};
    const uint32_t stack[STACK_WORDS] = {
        caller, frame[FRAME_FUNCTION] ? wordset_add(&t->frames, frame, FRAME_WORDS) : 0};
    return stack[STACK_FRAME] ? wordset_add(&t->stacks, stack, STACK_WORDS) : 0;
}

uint32_t firefox_tables_stack(struct firefox_tables *t, const struct event *event)
{
    const struct profile_trace *trace = profile_trace_at(t->profile, event->trace);
    uint32_t stack = 0;
    for (uint32_t i = trace->depth; i > 0; i--) {
        const struct profile_frame *f = profile_frame_at(t->profile, trace->frames[i - 1]);
        stack = push(t, stack, frame_name_whole(t->profile, t->profile, f),
                     profile_method_at(t->profile, f->method)->source, f->kind + 1u, f->line);
        if (!stack)
            return 0;
    }
    if (trace->depth == 0)
        stack = push(t, 0, profile_cstring(t->profile, "[no stack]"), 0, 0, 0);
    if (stack && (event->klass || event->text))
        stack = push(t, stack, frame_name_object(t->profile, t->profile, event), 0, 0, 0);
    return stack;
}

uint32_t firefox_tables_group(struct firefox_tables *t, string_id name)
{
    uint32_t number = name ? wordset_add(&t->groups, &name, 1) : 0;
    return number ? CATEGORIES + number - 1 : 0;
}

void firefox_tables_put_categories(const struct firefox_tables *t, struct sink *s)
{
    static const char *const colors[] = {"purple", "lightblue", "brown", "magenta", "lightred"};
    sink_text(s, "\"categories\":[");
    for (size_t i = 0; i < CATEGORIES; i++)
        sink_printf(s, "%s{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
                    i ? "," : "", categories[i].name, categories[i].color);
    for (uint32_t i = 1; i <= wordset_count(&t->groups); i++) {
        sink_text(s, ",{\"name\":");
        json_out_string(s, t->profile, wordset_at(&t->groups, i)->words[0]);
        sink_printf(s, ",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
                    colors[(i - 1) % (sizeof(colors) / sizeof(*colors))]);
    }
    sink_text(s, "]");
}

/* ---- Columns of a table: a constant for all rows, or one word of each row. */

static void put_constant(struct sink *s, const char *name, const char *constant, uint32_t count)
{
    sink_printf(s, "\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++)
        sink_printf(s, "%s%s", i ? "," : "", constant);
    sink_text(s, "],");
}

/* Subtracts `less` from each word, because the file numbers rows from 0. A word 0 becomes null. */
static void put_words(struct sink *s, const char *name, const struct wordset *rows, uint32_t word,
                      uint32_t less)
{
    sink_printf(s, "\"%s\":[", name);
    for (uint32_t i = 1; i <= wordset_count(rows); i++) {
        uint32_t value = wordset_at(rows, i)->words[word];
        if (value == 0)
            sink_text(s, i > 1 ? ",null" : "null");
        else
            sink_printf(s, i > 1 ? ",%u" : "%u", value - less);
    }
    sink_text(s, "],");
}

static void put_length(struct sink *s, uint32_t length)
{
    sink_printf(s, "\"length\":%u}", length);
}

/* A caller stands in front of its callees; "prefixOffset" says how many rows in front, or 0. */
static void put_stacks(const struct firefox_tables *t, struct sink *s)
{
    uint32_t count = wordset_count(&t->stacks);
    sink_text(s, ",\n\"stackTable\":{");
    put_words(s, "frame", &t->stacks, STACK_FRAME, 1);
    sink_text(s, "\"prefixOffset\":[");
    for (uint32_t i = 1; i <= count; i++) {
        uint32_t caller = wordset_at(&t->stacks, i)->words[STACK_CALLER];
        sink_printf(s, i > 1 ? ",%u" : "%u", caller ? i - caller : 0);
    }
    sink_text(s, "],");
    put_length(s, count);
}

static void put_frames(const struct firefox_tables *t, struct sink *s)
{
    uint32_t count = wordset_count(&t->frames);
    sink_text(s, ",\n\"frameTable\":{");
    put_constant(s, "address", "-1", count);
    put_constant(s, "lib", "-1", count);
    put_constant(s, "inlineDepth", "0", count);
    sink_text(s, "\"category\":[");
    for (uint32_t i = 1; i <= count; i++)
        sink_printf(s, i > 1 ? ",%u" : "%u", wordset_at(&t->frames, i)->words[FRAME_CATEGORY]);
    sink_text(s, "],");
    put_constant(s, "subcategory", "0", count);
    put_words(s, "func", &t->frames, FRAME_FUNCTION, 1);
    put_constant(s, "nativeSymbol", "null", count);
    put_constant(s, "innerWindowID", "null", count);
    put_words(s, "line", &t->frames, FRAME_LINE, 0);
    put_constant(s, "column", "null", count);
    put_constant(s, "originalLocation", "null", count);
    put_length(s, count);
}

static void put_functions(const struct firefox_tables *t, struct sink *s)
{
    uint32_t count = wordset_count(&t->functions);
    sink_text(s, ",\n\"funcTable\":{");
    put_words(s, "name", &t->functions, FUNCTION_NAME, 1);
    put_constant(s, "isJS", "false", count);
    put_constant(s, "relevantForJS", "false", count);
    put_constant(s, "resource", "-1", count);
    put_words(s, "source", &t->functions, FUNCTION_SOURCE, 1);
    put_constant(s, "lineNumber", "null", count);
    put_constant(s, "columnNumber", "null", count);
    put_constant(s, "originalLocation", "null", count);
    put_length(s, count);
}

static void put_sources(const struct firefox_tables *t, struct sink *s)
{
    uint32_t count = wordset_count(&t->sources);
    sink_text(s, ",\n\"sources\":{");
    put_constant(s, "id", "null", count);
    put_words(s, "filename", &t->sources, 0, 1);
    put_constant(s, "startLine", "1", count);
    put_constant(s, "startColumn", "1", count);
    put_constant(s, "sourceMapURL", "null", count);
    put_constant(s, "content", "null", count);
    put_length(s, count);
}

void firefox_tables_put(const struct firefox_tables *t, struct sink *s)
{
    sink_text(s, "\"shared\":{\"stringArray\":[");
    for (uint32_t i = 1; i <= wordset_count(&t->strings); i++) {
        sink_text(s, i > 1 ? ",\n" : "\n");
        json_out_string(s, t->profile, wordset_at(&t->strings, i)->words[0]);
    }
    sink_text(s, "]");
    put_stacks(t, s);
    put_frames(t, s);
    put_functions(t, s);
    put_sources(t, s);
    sink_text(s, ",\n\"resourceTable\":{\"name\":[],\"host\":[],\"type\":[],\"length\":0},\n"
                 "\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
                 "\"functionSize\":[],\"length\":0},\n"
                 "\"sourceLocationTable\":{\"source\":[],\"line\":[],\"column\":[],\"length\":0}}");
}
