/*
 * locations.c - see locations.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/locations.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"
#include "format/frame_name.h"

void locations_init(struct locations *l, struct profile *profile)
{
    *l = (struct locations){.profile = profile};
    wordset_init(&l->strings);
    wordset_init(&l->mappings);
    wordset_init(&l->functions);
    wordset_init(&l->locations);
}

void locations_done(struct locations *l)
{
    wordset_done(&l->strings);
    wordset_done(&l->mappings);
    wordset_done(&l->functions);
    wordset_done(&l->locations);
    free(l->function_of);
    free(l->words);
    free(l->stack);
}

/* The text as plain UTF-8, so that two texts that are equal in this form become one. */
static string_id plain(struct profile *p, string_id id)
{
    const struct profile_string *s = profile_string_at(p, id);
    size_t len = 0;
    unsigned char *text;
    if (utf8_is_plain(s->bytes, s->len))
        return id;
    text = malloc((size_t)s->len * UTF8_BYTES);
    for (size_t at = 0, bytes; text && at < s->len; len += bytes)
        at += utf8_next(s->bytes + at, s->len - at, text + len, &bytes);
    id = text ? profile_string(p, (const char *)text, len) : 0;
    free(text);
    return id;
}

uint32_t locations_string(struct locations *l, string_id id)
{
    string_id text = id && profile_string_at(l->profile, id)->len ? plain(l->profile, id) : 0;
    return text ? wordset_add(&l->strings, &text, 1) : 0;
}

uint32_t locations_text(struct locations *l, const char *text)
{
    return locations_string(l, profile_cstring(l->profile, text));
}

const struct profile_string *locations_string_at(const struct locations *l, uint32_t number)
{
    return profile_string_at(l->profile, wordset_at(&l->strings, number)->words[0]);
}

enum frame_kind locations_kind(const char *mapping, size_t len)
{
    if (len < 2 || mapping[0] != '[' || mapping[len - 1] != ']')
        return FRAME_KINDS;
    return frame_kind_named(mapping + 1, len - 2);
}

/* The mapping of a frame: its kind in brackets. A native frame lies in its library, if that is
 * known. 0: no memory. */
static uint32_t mapping_of(struct locations *l, const struct profile_frame *f)
{
    class_id klass = profile_method_at(l->profile, f->method)->klass;
    string_id library =
        f->kind == FRAME_NATIVE && klass ? profile_class_at(l->profile, klass)->name : 0;
    bool is_known = library && profile_string_at(l->profile, library)->len > 0;
    char kind[24];
    snprintf(kind, sizeof(kind), "[%s]", frame_kind_word(f->kind));
    uint32_t file = is_known ? locations_string(l, library) : locations_text(l, kind);
    return file ? wordset_add(&l->mappings, &file, 1) : 0;
}

/* "java.lang.String.length()I"; 0: there is no descriptor. */
static uint32_t system_name(struct locations *l, string_id name, string_id descriptor)
{
    char *text = NULL;
    uint32_t number = 0;
    if (!descriptor)
        return 0;
    if (asprintf(&text, "%s%s", profile_string_at(l->profile, name)->bytes,
                 profile_string_at(l->profile, descriptor)->bytes) >= 0)
        number = locations_text(l, text);
    free(text);
    return number;
}

static uint32_t make_function(struct locations *l, frame_id id)
{
    const struct profile_frame *f = profile_frame_at(l->profile, id);
    const struct profile_method m = *profile_method_at(l->profile, f->method);
    string_id name = frame_name_whole(l->profile, l->profile, f);
    if (!name)
        return 0;
    const uint32_t words[LOCATIONS_FUNCTION_WORDS] = {
        [LOCATIONS_NAME] = locations_string(l, name),
        [LOCATIONS_SYSTEM] = system_name(l, name, m.descriptor),
        [LOCATIONS_FILE] = locations_string(l, m.source),
    };

    return words[LOCATIONS_NAME] ? wordset_add(&l->functions, words, LOCATIONS_FUNCTION_WORDS) : 0;
}

/* The function of a frame. 0: no memory. */
static uint32_t function_of(struct locations *l, frame_id id)
{
    method_id method = profile_frame_at(l->profile, id)->method;
    if (method >= l->method_room) {
        uint32_t room = method < 1024 ? 2048 : method * 2;
        uint32_t *functions = realloc(l->function_of, (size_t)room * sizeof(*functions));
        if (!functions)
            return 0;
        memset(functions + l->method_room, 0, (size_t)(room - l->method_room) * sizeof(*functions));
        l->function_of = functions;
        l->method_room = room;
    }
    if (!l->function_of[method])
        l->function_of[method] = make_function(l, id);
    return l->function_of[method];
}

static bool has_room(struct locations *l, uint32_t depth)
{
    uint32_t word_room = 2 * depth + 1;
    if (depth > l->stack_room) {
        uint64_t *stack = realloc(l->stack, depth * sizeof(*stack));
        if (!stack)
            return false;
        l->stack = stack;
        l->stack_room = depth;
    }
    if (word_room > l->word_room) {
        uint32_t *words = realloc(l->words, word_room * sizeof(*words));
        if (!words)
            return false;
        l->words = words;
        l->word_room = word_room;
    }
    return true;
}

/* An inlined frame is in the same location as the frame into which it was inlined. */
int64_t locations_of(struct locations *l, trace_id id)
{
    const struct profile_trace *trace = profile_trace_at(l->profile, id);
    uint32_t count = 1;
    int64_t found = 0;
    if (!has_room(l, trace->depth))
        return -ENOMEM;
    for (uint32_t i = 0; i < trace->depth; i++) {
        const struct profile_frame *f = profile_frame_at(l->profile, trace->frames[i]);
        uint32_t function = function_of(l, trace->frames[i]);
        if (!function)
            return -ENOMEM;
        l->words[count++] = function;
        l->words[count++] = f->line > 0 ? (uint32_t)f->line : 0;
        if (f->kind == FRAME_INLINED && i + 1 < trace->depth)
            continue;
        l->words[0] = mapping_of(l, f);
        if (!l->words[0])
            return -ENOMEM;
        l->stack[found] = wordset_add(&l->locations, l->words, count);
        if (!l->stack[found])
            return -ENOMEM;
        found++;
        count = 1;
    }
    return found;
}
