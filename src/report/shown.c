/*
 * shown.c - see shown.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/shown.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/demangle.h"
#include "reading/keys.h"
#include "format/frame_name.h"
#include "profile/hidden.h"

enum { FRAME_OPEN = 0, FRAME_NONE = UINT32_MAX }; /* not decided yet; left out */
enum { MATCH_ASKED = 1, MATCH_INCLUDE = 2, MATCH_EXCLUDE = 4 };

int shown_init(struct shown *s, struct profile *profile, const struct shown_how *how)
{
    size_t count = profile_frame_count(profile) + (size_t)1;
    *s = (struct shown){
        .profile = profile,
        .how = *how,
        .frames = calloc(count, sizeof(*s->frames)),
        .matches = calloc(count, sizeof(*s->matches)),
    };
    if (how->by)
        s->key = keys_find(profile, how->by);
    return s->frames && s->matches ? 0 : -ENOMEM;
}

void shown_done(struct shown *s)
{
    free(s->frames);
    free(s->matches);
    frame_list_done(&s->stack);
}

/* The name of a C++ function without its parameters. */
static string_id demangled(struct profile *p, string_id name)
{
    char *owned = NULL;
    const char *text = name ? demangle(profile_string_at(p, name)->bytes, &owned) : "";
    if (owned)
        name = profile_string(p, text, demangle_without_parameters(text));
    free(owned);
    return name;
}

/* The length of "app.Main$$Lambda" in "app.Main$$Lambda$14/0x00007f12": the VM numbers these
 * classes differently in each run. */
static size_t without_numbers(const char *name, size_t len)
{
    static const char *const made[] = {"$$Lambda$", "Accessor", "$Proxy", "LambdaForm$MH"};
    const char *address = strstr(name, "/0x");
    size_t end = address ? (size_t)(address - name) : len;
    while (end > 0 && isdigit((unsigned char)name[end - 1]))
        end--;
    for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
        size_t word = strlen(made[i]);
        if (end >= word && memcmp(name + end - word, made[i], word) == 0)
            return made[i][word - 1] == '$' ? end - 1 : end;
    }
    return address ? (size_t)(address - name) : len;
}

/* The class without package or numbers. The name of a hidden class has its dots before the
 * slash. */
static class_id renamed_class(const struct shown *s, class_id klass)
{
    string_id id = klass ? profile_class_at(s->profile, klass)->name : 0;
    const struct profile_string *name = id ? profile_string_at(s->profile, id) : NULL;
    size_t first = 0, len;
    if (!name || (!s->how.is_simple && !s->how.is_normal))
        return klass;
    len = s->how.is_normal ? without_numbers(name->bytes, name->len) : name->len;
    for (size_t i = 0; s->how.is_simple && i < len && name->bytes[i] != '/'; i++)
        if (name->bytes[i] == '.')
            first = i + 1;
    id = profile_string(s->profile, name->bytes + first, len - first);
    return id ? profile_class_named(s->profile, id) : 0;
}

static string_id with_line(struct profile *p, string_id name, int32_t line)
{
    char *text = NULL;
    string_id id = 0;
    if (asprintf(&text, "%s:%d", name ? profile_string_at(p, name)->bytes : "", (int)line) >= 0)
        id = profile_cstring(p, text);
    free(text);
    return id;
}

/* The frame under its shown name. If there is no memory, the frame itself. */
static frame_id renamed(struct shown *s, frame_id id)
{
    const struct profile_frame frame = *profile_frame_at(s->profile, id);
    const struct profile_method m = *profile_method_at(s->profile, frame.method);
    bool is_java = frame_kind_is_java(frame.kind);
    class_id klass = is_java ? renamed_class(s, m.klass) : m.klass;
    string_id name = frame.kind == FRAME_NATIVE ? demangled(s->profile, m.name) : m.name;
    if (s->how.with_lines && is_java && frame.line > 0)
        name = with_line(s->profile, name, frame.line);
    if (klass == m.klass && name == m.name)
        return id;
    method_id method = profile_method(s->profile, klass, name, m.descriptor, m.source);
    frame_id shown = method ? profile_frame_of(s->profile, (enum frame_kind)frame.kind, method,
                                               frame.bci, frame.line)
                            : 0;
    return shown ? shown : id;
}

static frame_id show_frame(struct shown *s, frame_id id)
{
    if (s->frames[id] == FRAME_OPEN)
        s->frames[id] =
            !s->how.with_hidden && hidden_is_frame(s->profile, id) ? FRAME_NONE : renamed(s, id);
    return s->frames[id];
}

static bool matches(const regex_t *pattern, const char *name)
{
    return pattern && regexec(pattern, name, 0, NULL, 0) == 0;
}

/* Patterns are compared with the whole names in the file. */
static unsigned char match_frame(struct shown *s, frame_id id)
{
    if (!s->matches[id]) {
        string_id text = frame_name_whole(s->profile, s->profile, profile_frame_at(s->profile, id));
        const char *name = text ? profile_string_at(s->profile, text)->bytes : "";
        s->matches[id] =
            (unsigned char)(MATCH_ASKED | (matches(s->how.include, name) ? MATCH_INCLUDE : 0) |
                            (matches(s->how.exclude, name) ? MATCH_EXCLUDE : 0));
    }
    return s->matches[id];
}

bool shown_wants(struct shown *s, trace_id id)
{
    const struct profile_trace *trace = profile_trace_at(s->profile, id);
    unsigned char found = 0;
    if (!s->how.include && !s->how.exclude)
        return true;
    for (uint32_t i = 0; i < trace->depth; i++)
        found |= match_frame(s, trace->frames[i]);
    return !(found & MATCH_EXCLUDE) && (!s->how.include || (found & MATCH_INCLUDE));
}

/* The frame below a stack: "user=alice", or "no user". 0: no memory. */
static frame_id root_of(struct shown *s, trace_id trace, context_id context)
{
    struct profile *p = s->profile;
    string_id value = keys_value(p, s->key, trace, context), name;
    method_id method;
    name = value ? frame_name_join(p, s->how.by, "=", profile_string_at(p, value)->bytes)
                 : frame_name_join(p, "no", " ", s->how.by);
    method = name ? profile_method(p, 0, name, 0, 0) : 0;
    return method ? profile_frame_of(p, FRAME_NATIVE, method, -1, PROFILE_LINE_NONE) : 0;
}

/* The thread that stands for all threads of a process. */
static thread_id rest_of(struct profile *p, thread_id thread)
{
    process_id process = thread ? profile_thread_at(p, thread)->process : 0;
    return process ? profile_thread_in(p, process, 0, 0) : 0;
}

int shown_trace(struct shown *s, trace_id id, context_id context, trace_id *ret_trace)
{
    const struct profile_trace *trace = profile_trace_at(s->profile, id);
    uint32_t depth = 0;
    if (!shown_wants(s, id))
        return 0;
    if (!frame_list_reserve(&s->stack, trace->depth + 1)) /* one more for the frame below */
        return -ENOMEM;
    for (uint32_t i = 0; i < trace->depth; i++) {
        frame_id frame = show_frame(s, trace->frames[i]);
        if (frame != FRAME_NONE)
            s->stack.frames[depth++] = frame;
        else if (i + 1 == trace->depth && depth == 0)
            s->stack.frames[depth++] = trace->frames[i];
    }
    if (s->how.by) {
        s->stack.frames[depth] = root_of(s, id, context);
        if (!s->stack.frames[depth++])
            return -ENOMEM;
    }
    thread_id thread = trace->thread;
    if (s->how.no_threads)
        thread = s->how.with_processes ? rest_of(s->profile, thread) : 0;
    *ret_trace = profile_trace(s->profile, thread, s->stack.frames, depth);
    return *ret_trace ? 1 : -ENOMEM;
}
