/*
 * report.c - the summary as text.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "cli/demangle.h"
#include "cli/quality.h"
#include "cli/say.h"
#include "cli/shorten.h"
#include "cli/summary.h"
#include "profile/profile.h"

enum { WIDTH_DEFAULT = 120, WIDTH_MIN = 40, NUMBERS_WIDTH = 30 };

size_t report_width(FILE *out)
{
    const char *env = getenv("COLUMNS");
    struct winsize size = {0};

    if (!isatty(fileno(out)))
        return 0;
    size_t width = env != NULL ? strtoul(env, NULL, 10) : 0;
    if (width == 0 && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width == 0)
        width = WIDTH_DEFAULT;
    return width < WIDTH_MIN ? WIDTH_MIN : width;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static const char *text_of(struct profile *profile, string_id id)
{
    return id != 0 ? profile_string_at(profile, id)->bytes : "";
}

/* Where the parameters of a C++ function begin: the parenthesis that the last one closes. */
static size_t length_without_parameters(const char *name)
{
    const char *at = strrchr(name, ')');
    int open = 0;

    for (; at != NULL && at > name; at--) {
        open += *at == ')' ? 1 : *at == '(' ? -1 : 0;
        if (open == 0)
            return (size_t)(at - name);
    }
    return strlen(name);
}

/* "class.method", at most `columns` wide; "?" when there is no memory for it. */
static void print_name(FILE *out, const char *klass, const char *name, size_t columns)
{
    char *text = NULL, *owned = NULL;
    const char *shown = demangle(name, &owned);
    size_t len = owned != NULL ? length_without_parameters(shown) : strlen(shown);
    int result = asprintf(&text, "%s%s%.*s", klass, *klass != '\0' ? "." : "", (int)len, shown);

    free(owned);
    if (result < 0) {
        putc('?', out);
        return;
    }
    shorten_name(text, columns);
    say_clean(out, text);
    free(text);
}

static void print_methods(const struct report *r, const struct summary *s, struct profile *profile,
                          uint64_t whole, int by_total)
{
    fprintf(r->out, "\n%s\n%7s %7s %12s  %s\n",
            by_total ? "methods by total time, with what they call" : "methods by their own time",
            "self", "total", "samples", "method");
    for (size_t i = 0; i < s->count && i < r->top; i++) {
        const struct summary_method *m = &s->methods[i];
        uint64_t ticks = by_total ? m->total : m->self;

        if (ticks == 0)
            break; /* sorted: only zeros follow */
        fprintf(r->out, "%6.2f%% %6.2f%% %12" PRIu64 "  ", percent(m->self, whole),
                percent(m->total, whole), ticks);
        print_name(r->out, text_of(profile, m->klass), text_of(profile, m->name),
                   r->width > 0 ? r->width - NUMBERS_WIDTH : 0);
        putc('\n', r->out);
    }
}

static void print_frame(const struct report *r, struct profile *profile, frame_id id)
{
    const struct profile_frame *frame = profile_frame_at(profile, id);
    const struct profile_method *method = profile_method_at(profile, frame->method);
    const char *klass =
        method->klass != 0 ? text_of(profile, profile_class_at(profile, method->klass)->name) : "";
    const char *source = method->source != 0 ? text_of(profile, method->source) : "";
    char line[16] = "";

    if (frame->line >= 0)
        snprintf(line, sizeof line, ":%" PRId32, frame->line);
    size_t indent = 8, place = strlen(source) + strlen(line) + 2;
    fputs("        ", r->out);
    print_name(r->out, klass, text_of(profile, method->name),
               r->width > indent + place + WIDTH_MIN / 2 ? r->width - indent - place
               : r->width > 0                            ? WIDTH_MIN / 2
                                                         : 0);
    if (*source != '\0') {
        putc('(', r->out);
        say_clean(r->out, source);
        fprintf(r->out, "%s)", line);
    }
    putc('\n', r->out);
}

static int print_traces(const struct report *r, struct profile *profile, uint64_t whole)
{
    trace_id *ranked = NULL;
    int count = profile_rank(profile, &ranked);

    if (count < 0)
        return count;
    fputs("\nhottest stacks\n", r->out);
    for (int i = 0; i < count && (uint32_t)i < r->traces; i++) {
        const struct profile_trace *trace = profile_trace_at(profile, ranked[i]);

        fprintf(r->out, "%6.2f%% %12" PRIu64 "  trace %" PRIu32, percent(trace->ticks, whole),
                trace->ticks, trace->serial);
        if (trace->thread != 0) {
            const struct profile_thread *thread = profile_thread_at(profile, trace->thread);

            fputs(" thread ", r->out);
            say_clean(r->out, text_of(profile, thread->name));
        }
        fputs(trace->depth == 0 ? "\n        <empty>\n" : "\n", r->out);
        for (uint32_t j = 0; j < trace->depth; j++)
            print_frame(r, profile, trace->frames[j]);
    }
    free(ranked);
    return 0;
}

static int by_live_bytes(const void *left, const void *right)
{
    const struct profile_site *const *x = left, *const *y = right;

    return (*x)->live_bytes > (*y)->live_bytes ? -1 : (*x)->live_bytes < (*y)->live_bytes;
}

/* The stack of a site, innermost first. */
static void print_site_stack(const struct report *r, struct profile *profile, trace_id id)
{
    const struct profile_trace *trace = profile_trace_at(profile, id);

    for (uint32_t i = 0; i < trace->depth; i++)
        print_frame(r, profile, trace->frames[i]);
}

static int print_sites(const struct report *r, struct profile *profile)
{
    uint32_t count = profile_site_count(profile);
    const struct profile_site **sites = malloc((count + 1) * sizeof(void *));

    if (sites == NULL)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        sites[i] = profile_site_at(profile, i + 1);
    qsort(sites, count, sizeof(void *), by_live_bytes);
    fprintf(r->out, "\nallocation sites by live bytes%s\n%12s %9s %12s %9s  %s\n",
            quality_value(profile, "sites_sample") ? ", estimated from samples" : "", "live bytes",
            "objects", "made bytes", "objects", "class, and where it was made");
    for (uint32_t i = 0; i < count && i < r->top; i++) {
        fprintf(r->out, "%12" PRIu64 " %9" PRIu64 " %12" PRIu64 " %9" PRIu64 "  ",
                sites[i]->live_bytes, sites[i]->live_objects, sites[i]->alloc_bytes,
                sites[i]->alloc_objects);
        say_clean(r->out, text_of(profile, profile_class_at(profile, sites[i]->klass)->name));
        putc('\n', r->out);
        if (i < r->traces)
            print_site_stack(r, profile, sites[i]->trace);
    }
    free(sites);
    return 0;
}

int report_print(const struct report *r, const char *title, struct profile *profile)
{
    struct summary s;
    int result = summary_build(profile, &s);

    if (result < 0)
        return result;
    /* The tables of a file may end at a cutoff; their percentages count what they leave out. */
    uint64_t whole = s.ticks + quality_value(profile, "below_cutoff");
    say_clean(r->out, title);
    putc('\n', r->out);
    quality_print(r->out, profile, whole);
    if (s.empty > 0)
        fprintf(r->out, "  %" PRIu64 " samples (%.2f%%) have no Java stack\n", s.empty,
                percent(s.empty, whole));
    if (s.ticks > 0 && r->top > 0) {
        summary_sort_self(&s, profile);
        print_methods(r, &s, profile, whole, 0);
        summary_sort_total(&s, profile);
        print_methods(r, &s, profile, whole, 1);
    }
    if (s.ticks > 0 && r->traces > 0)
        result = print_traces(r, profile, whole);
    if (result == 0 && r->top > 0 && profile_site_count(profile) > 0)
        result = print_sites(r, profile);
    summary_done(&s);
    return result;
}
