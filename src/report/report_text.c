/*
 * report_text.c - see report_text.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "command/demangle.h"
#include "report/report_how.h"
#include "command/say.h"
#include "command/shorten.h"
#include "report/summary.h"
#include "profile/hidden.h"

enum { NAME_MIN = 20 };

double report_text_percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

const char *report_text_of(struct profile *profile, string_id id)
{
    return id != 0 ? profile_string_at(profile, id)->bytes : "";
}

char *report_text_join(const char *klass, const char *name)
{
    char *text = NULL, *owned = NULL;
    const char *shown = demangle(name, &owned);
    size_t len = owned ? demangle_without_parameters(shown) : strlen(shown);
    int result = asprintf(&text, "%s%s%.*s", klass, *klass != '\0' ? "." : "", (int)len, shown);
    free(owned);
    return result < 0 ? NULL : text;
}

void report_text_name(FILE *out, const char *klass, const char *name, size_t columns)
{
    char *text = report_text_join(klass, name);
    if (!text) {
        putc('?', out);
        return;
    }
    shorten_name(text, columns);
    say_clean(out, text);
    free(text);
}

void report_text_what(FILE *out, struct profile *profile, class_id klass, string_id text)
{
    if (klass)
        say_clean(out, report_text_of(profile, profile_class_at(profile, klass)->name));
    if (klass && text)
        fputs(", ", out);
    if (text)
        say_clean(out, report_text_of(profile, text));
}

static void print_frame(const struct report_how *r, struct profile *profile, frame_id id)
{
    const struct profile_frame *frame = profile_frame_at(profile, id);
    const struct profile_method *method = profile_method_at(profile, frame->method);
    const char *klass =
        method->klass != 0 ? report_text_of(profile, profile_class_at(profile, method->klass)->name)
                           : "";
    const char *source = method->source != 0 ? report_text_of(profile, method->source) : "";
    char line[16] = "";
    if (frame->line >= 0)
        snprintf(line, sizeof(line), ":%" PRId32, frame->line);
    size_t indent = 8, place = strlen(source) + strlen(line) + 2;
    fputs("        ", r->out);
    report_text_name(r->out, klass, report_text_of(profile, method->name),
                     r->width > indent + place + NAME_MIN ? r->width - indent - place
                     : r->width > 0                       ? NAME_MIN
                                                          : 0);
    if (*source != '\0') {
        putc('(', r->out);
        say_clean(r->out, source);
        fprintf(r->out, "%s)", line);
    } else {
        fputs(line, r->out);
    }
    putc('\n', r->out);
}

/* Whether frame number `i` is shown. At least one frame of a stack is shown. */
static bool is_shown(const struct report_how *r, struct profile *profile,
                     const struct profile_trace *trace, uint32_t i, uint32_t shown)
{
    return r->with_hidden || !hidden_is_frame(profile, trace->frames[i]) ||
           (shown == 0 && i + 1 == trace->depth);
}

const struct profile_frame *report_text_top(const struct report_how *r, struct profile *profile,
                                            trace_id id)
{
    const struct profile_trace *trace = profile_trace_at(profile, id);
    for (uint32_t i = 0; i < trace->depth; i++)
        if (is_shown(r, profile, trace, i, 0))
            return profile_frame_at(profile, trace->frames[i]);
    return NULL;
}

void report_text_stack(const struct report_how *r, struct profile *profile, trace_id id,
                       uint32_t most)
{
    const struct profile_trace *trace = profile_trace_at(profile, id);
    for (uint32_t i = 0, shown = 0; i < trace->depth && shown < most; i++) {
        if (!is_shown(r, profile, trace, i, shown))
            continue;
        print_frame(r, profile, trace->frames[i]);
        shown++;
    }
}

void report_text_thread(FILE *out, struct profile *profile, thread_id id)
{
    if (id == 0) {
        fputs("an unknown thread", out);
        return;
    }
    const struct profile_thread *thread = profile_thread_at(profile, id);

    if (thread->name != 0) {
        say_clean(out, report_text_of(profile, thread->name));
        putc(' ', out);
    }
    fprintf(out, "(thread %" PRIu32 ")", thread->serial);
}
