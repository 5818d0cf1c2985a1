/*
 * trust.c - prints how far a profile can be trusted.
 *
 * The rows of profile/quality.def say in which line a count is shown, and which counts are shown as
 * a hint even without -v. A count that has no row there is shown by its name in the last line, so
 * an older command does not hide the counts of a newer agent.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/trust.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/plain.h"
#include "base/plural.h"
#include "command/say.h"
#include "profile/found.h"
#include "profile/profile.h"
#include "profile/quality.h"
#include "profile/sums.h"
#include "safe/clock.h"

enum line {
    LINE_OTHER, /* also for a count that has no row in the table */
    LINE_HEAD,  /* a part of the first line */
    LINE_LOST,  /* samples that are missing, or are not whole */
    LINE_CAUSE, /* why a walk failed */
    LINE_VM,    /* CPU time of threads that are not Java's */
    LINE_TIMER, /* what raised the signals */
};

enum {
    /* A hint is shown if more than 1/20 of the samples have no stack because the walk failed, */
    FAILED_PART = 20,
    /* if one sample stands for more than 1/20 of all intervals, */
    LARGE_PART = 20,
    /* or if 1/100 or more have no stack for a cause that the user can remove. */
    CAUSE_PART = 100,
    /* A sample of fewer intervals gets no hint: in a short profile it may have a large part by
     * chance. */
    LARGE_WEIGHT = 20,
};

static const struct {
    enum line line;
    const char *words, *advice; /* NULL: none */
} known[QUALITY_COUNT] = {
#define QUALITY(id, name, line, words, meaning, advice) {LINE_##line, words, advice},
#include "profile/quality.def"
#undef QUALITY
};

struct rows {
    const struct profile_quality *row;
    uint32_t count;
    double seconds; /* the CPU time that one sample stands for; 0: unknown */
};

/* Whether the tables also count threads that are not Java's. The agent writes this count only with
 * native=y. */
static bool has_all_threads(const struct profile *profile)
{
    uint32_t count = 0;
    const struct profile_quality *row = profile_quality(profile, &count);
    for (uint32_t i = 0; i < count; i++)
        if (quality_named(row[i].name) == QUALITY_OTHER_SAMPLES)
            return true;
    return false;
}

/* Finds the line and the words of a count. If this version does not know the count, the words are
 * its name. */
static enum line line_of(const char *name, const char **ret_words)
{
    enum quality which = quality_named(name);
    *ret_words = which < QUALITY_COUNT ? known[which].words : name;
    return which < QUALITY_COUNT ? known[which].line : LINE_OTHER;
}

/* Prints "  HEADING: 12 this, 3 that", or nothing if all counts of the line are 0. */
static void print_line(FILE *out, const struct rows *rows, enum line line, const char *heading)
{
    const char *before = heading;
    for (uint32_t i = 0; i < rows->count; i++) {
        const char *words;
        if (rows->row[i].count == 0 || line_of(rows->row[i].name, &words) != line)
            continue;
        fputs(before, out);
        before = ", ";
        if (line == LINE_VM && rows->seconds > 0)
            fprintf(out, "%.2f s ", rows->seconds * (double)rows->row[i].count);
        else
            fprintf(out, "%" PRIu64 " ", rows->row[i].count);
        say_clean(out, words);
    }
    if (before != heading)
        putc('\n', out);
}

static void print_interval(FILE *out, uint64_t ns)
{
    static const struct {
        uint64_t ns;
        const char *word;
    } units[] = {{NS_PER_S, "s"}, {NS_PER_MS, "ms"}, {NS_PER_US, "us"}, {1, "ns"}};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (ns % units[i].ns == 0) {
            fprintf(out, "%" PRIu64 " %s", ns / units[i].ns, units[i].word);
            return;
        }
    }
}

static void print_head(FILE *out, struct profile *profile, uint64_t ticks)
{
    uint64_t samples = quality_value(profile, QUALITY_SAMPLES);
    uint64_t walked = quality_value(profile, QUALITY_WALKED);
    uint64_t interval_ns = quality_value(profile, QUALITY_INTERVAL);
    if (samples == 0 && ticks == 0 && !profile_sums(profile, KIND_SAMPLE)->is_measured)
        return; /* the file has only other tables */
    if (samples == 0)
        samples = ticks; /* a file of the original agent has no quality lines */
    fprintf(out, "  %" PRIu64 " sample%s", samples, plural_s(samples));
    if (interval_ns > 0) {
        fputs(" of ", out);
        print_interval(out, interval_ns);
        fprintf(out, ": %.2f s of CPU time%s", (double)interval_ns / 1e9 * (double)samples,
                has_all_threads(profile) ? "" : " in Java threads");
    }
    if (walked > 0)
        fprintf(out, "; %.2f%% have their stack", 100.0 * (double)walked / (double)samples);
    if (trust_percent_cut(profile) > 0)
        fprintf(out, ", %.2f%% of these cut", trust_percent_cut(profile));
    putc('\n', out);
}

static void print_hints(FILE *out, struct profile *profile)
{
    uint64_t samples = quality_value(profile, QUALITY_SAMPLES),
             largest = quality_value(profile, QUALITY_LARGEST_WEIGHT),
             failed = quality_value(profile, QUALITY_FAILED);
    if (trust_percent_cut(profile) > 0)
        fputs("  hint: totals miss the callers that were cut; depth= (run: -d) keeps more\n", out);
    if (samples > 0 && failed * FAILED_PART > samples)
        fprintf(out, "  hint: %.2f%% of the stacks could not be read; -v says why\n",
                100.0 * (double)failed / (double)samples);
    if (largest >= LARGE_WEIGHT && largest * LARGE_PART > samples)
        fprintf(out,
                "  hint: one sample stands for %" PRIu64 " intervals, %.2f%% of all: its time may "
                "belong to other stacks\n",
                largest, 100.0 * (double)largest / (double)samples);
    for (int i = 0; i < QUALITY_COUNT; i++) {
        uint64_t count = known[i].advice ? quality_value(profile, (enum quality)i) : 0;
        if (count > 0 && (known[i].line != LINE_CAUSE || count * CAUSE_PART >= samples))
            fprintf(out, "  hint: %" PRIu64 " %s: %s\n", count, known[i].words, known[i].advice);
    }
}

double trust_percent_cut(const struct profile *profile)
{
    uint64_t walked = quality_value(profile, QUALITY_WALKED);
    return walked > 0 ? 100.0 * (double)quality_value(profile, QUALITY_TRUNCATED) / (double)walked
                      : 0;
}

void trust_print(FILE *out, struct profile *profile, uint64_t ticks, bool is_verbose)
{
    struct rows rows = {0};
    rows.row = profile_quality(profile, &rows.count);
    rows.seconds = (double)quality_value(profile, QUALITY_INTERVAL) / 1e9;
    print_head(out, profile, ticks);
    print_hints(out, profile);
    if (!is_verbose)
        return;
    print_line(out, &rows, LINE_CAUSE, "  no stack, and not in the tables: ");
    print_line(out, &rows, LINE_LOST, "  incomplete: ");
    print_line(out, &rows, LINE_VM,
               has_all_threads(profile) ? "  of it in threads that are not Java's: "
                                        : "  other CPU time, not in the tables: ");
    print_line(out, &rows, LINE_TIMER, "  threads timed: ");
    print_line(out, &rows, LINE_OTHER, "  also counted: ");
}

bool trust_drawable(struct profile *profile, char *to, size_t room)
{
    const struct found *f = profile_found(profile);
    char name[64];
    size_t len = 0;
    *to = '\0';
    for (int i = 0; i < FOUND_DRAWABLE && f->drawable[i] && len < room; i++) {
        plain_copy(name, sizeof(name), profile_string_at(profile, f->drawable[i])->bytes);
        len += (size_t)snprintf(to + len, room - len, "%s%s", i == 0 ? "it has events of " : ", ",
                                name);
    }
    if (len == 0)
        return false;
    plain_copy(name, sizeof(name), profile_string_at(profile, f->drawable[0])->bytes);
    if (len < room)
        snprintf(to + len, room - len, ", which have stacks: 'report -e %s' draws them", name);
    return true;
}

void trust_why_none(const struct profile *profile, char *to, size_t room)
{
    uint64_t allocated = quality_value(profile, QUALITY_ALLOC_INTERVAL),
             cpu_ns = quality_value(profile, QUALITY_INTERVAL),
             wall_ns = quality_value(profile, QUALITY_WALL_INTERVAL),
             shorter = quality_value(profile, QUALITY_LOCK_SHORTER);
    size_t len = 0;
    *to = '\0';
    if (allocated > 0)
        len += (size_t)snprintf(to + len, room - len,
                                "; of what is allocated one object in %" PRIu64
                                " bytes is sampled: a smaller alloc= samples more",
                                allocated);
    if (cpu_ns > 0 && len < room)
        len +=
            (size_t)snprintf(to + len, room - len,
                             "; CPU time is sampled each %g ms: a shorter interval= samples more",
                             (double)cpu_ns / 1e6);
    if (wall_ns > 0 && len < room)
        len +=
            (size_t)snprintf(to + len, room - len,
                             "; threads are looked at each %g ms: a shorter wall= looks more often",
                             (double)wall_ns / 1e6);
    if (shorter > 0 && len < room)
        len += (size_t)snprintf(to + len, room - len,
                                "; %" PRIu64 " wait%s shorter than the threshold: lock=0 takes all",
                                shorter, plural_of(shorter, " was", "s were"));
    if (len > 0 && len < room)
        snprintf(to + len, room - len, " (hprof run, record: behind -O)");
}
