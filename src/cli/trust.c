/*
 * quality.c - the trust in a profile, as text.
 *
 * The agent names its counts in the file (src/agent/cpu/, docs/format); each row of
 * known[] says in which line a name goes, and advised[] which of them everybody sees. A count of an
 * unknown name goes to the last line: a newer agent's counts are not hidden from an older command.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/trust.h"
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include "base/plural.h"
#include "cli/say.h"
#include "profile/fold.h"
#include "profile/profile.h"
#include "profile/sums.h"

enum line {
    LINE_OTHER, /* also of any name that is not in the table */
    LINE_HEAD,  /* used by the first line */
    LINE_LOST,  /* samples that are missing, or are not whole */
    LINE_CAUSE, /* why a walk failed */
    LINE_VM,    /* CPU time of threads that are not Java's */
    LINE_TIMER, /* what raised the signals */
};

enum {
    FAILED_PART = 20,  /* a hint where more than a 20th of the walks failed */
    LARGE_PART = 20,   /* or one sample has more than a 20th of all */
    CAUSE_PART = 100,  /* or more than a 100th has no stack for a cause that can be mended */
    LARGE_WEIGHT = 20, /* intervals, which few samples in a short profile have by chance */
};

static const struct {
    const char *name;
    enum line line;
    const char *words;
} known[] = {
    {"interval_ns", LINE_HEAD, NULL},
    {"samples", LINE_HEAD, NULL},
    {"walked", LINE_HEAD, NULL},
    {"failed", LINE_HEAD, NULL},
    {"truncated", LINE_LOST, "cut at the depth limit"},
    {"largest_weight", LINE_OTHER, "intervals in the heaviest sample"},
    {"signal_blocked", LINE_CAUSE, "signal_blocked (the thread blocks the sampling signal)"},
    {"signal_lost", LINE_CAUSE, "signal_lost (the sampling signal was lost)"},
    {"thread_end", LINE_CAUSE, "thread_end (due when the thread ended)"},
    {"signal_number", LINE_OTHER, "is the number of the sampling signal"},
    {"nameless", LINE_LOST, "without names"},
    {"jfr_lost_samples", LINE_LOST, "lost by the JVM's own sampler (jdk.CPUTimeSamplesLost)"},
    {"jfr_passed_samples", LINE_OTHER,
     "jdk.ExecutionSample passed over, since jdk.CPUTimeSample tell the same time"},
    {"jfr_passed_allocations", LINE_OTHER,
     "jdk.ObjectAllocationInNewTLAB and OutsideTLAB passed over, since jdk.ObjectAllocationSample "
     "tell the same bytes"},
    {"jfr_passed_errors", LINE_OTHER,
     "jdk.JavaErrorThrow passed over, since jdk.JavaExceptionThrow tell them, too"},
    {"lost_ring_full", LINE_LOST, "lost, the ring was full"},
    {"lost_memory_full", LINE_LOST, "lost, the memory budget was used up"},
    {FOLD_COUNT, LINE_LOST, "of the smallest stacks made one"},
    {"below_cutoff", LINE_LOST, "in stacks below the cutoff"},
    {"threads_without_timer", LINE_LOST, "threads that could not be sampled"},
    {"shifted", LINE_OTHER, "samples found a few words from the expected place"},
    {"scanned", LINE_LOST, "found by searching the stack"},
    {"frozen_cut", LINE_LOST, "with frames of virtual threads missing that were in the heap"},
    {"native_cut", LINE_LOST, "with native frames missing"},
    {"other_samples", LINE_HEAD, NULL},
    {"kernel_refused", LINE_LOST, "kernel frames refused"},
    {"kernel_samples", LINE_OTHER, "with kernel frames"},
    {"kernel_stale", LINE_LOST, "whose kernel frames were of another moment"},
    {"threads_without_kernel", LINE_LOST, "threads without kernel frames"},
    {"gc_threads", LINE_VM, "GC"},
    {"compiler_threads", LINE_VM, "JIT compilers"},
    {"vm_threads", LINE_VM, "other threads of the VM"},
    {"other_threads", LINE_VM, "native threads"},
    {"perf", LINE_TIMER, "by perf"},
    {"ctimer", LINE_TIMER, "by ctimer"},
    {"monotonic", LINE_TIMER, "by monotonic"},
    {"signals", LINE_OTHER, "signals"},
    {"signals_early", LINE_OTHER, "signals before their time"},
    {"signals_foreign", LINE_OTHER, "signals sent by others"},
    {"model_kb", LINE_OTHER, "KB of memory of the agent's model"},
    {"times_calls", LINE_HEAD, NULL}, /* of the last table; the report has those of all rows */
    {"times_unfinished_calls", LINE_HEAD, NULL},
    {"times_unfinished_us", LINE_HEAD, NULL},
    {"times_waits", LINE_HEAD, NULL},
    {"times_waiting_us", LINE_HEAD, NULL},
    {"times_raw_us", LINE_OTHER, "us in methods as measured"},
    {"times_corrected_us", LINE_OTHER, "us corrected for the agent's own cost"},
    {"times_cost_inside_ps", LINE_OTHER, "ps of it in each call"},
    {"times_cost_outside_ps", LINE_OTHER, "ps of it around each call"},
    {"times_cpu_clock", LINE_OTHER, "(1: times are CPU time, not wall-clock time)"},
    {"times_tree_nodes", LINE_OTHER, "paths of calls"},
    {"times_shallow_calls", LINE_LOST, "calls counted without their callers, for lack of room"},
    {"times_lost_calls", LINE_LOST, "calls of threads that had no id yet, or no names left"},
    {"times_under_way", LINE_LOST, "calls that had begun before the recording did"},
    {"times_classes_waiting", LINE_LOST, "loaded classes that had not been changed yet"},
    {"times_methods", LINE_OTHER, "methods timed"},
    {"times_methods_left_alone", LINE_LOST, "methods not timed"},
    {"times_methods_intrinsic", LINE_OTHER, "methods that the JIT compilers replace"},
    {"times_classes_refused", LINE_LOST, "classes that could not be changed"},
    {"agent_cpu_ms", LINE_OTHER, "ms of CPU time of the agent's own thread"},
#define WALK(name, word, text) {word, LINE_CAUSE, word " (" text ")"},
#include "safe/walk_cause.def"
#undef WALK
};

/* Counts about which something can be done, and what. */
static const struct {
    const char *name, *advice;
} advised[] = {
    {"signal_lost", "somebody else uses the signal; signal= names another"},
    {"signal_blocked", "the program blocks the signal; signal= names another"},
    {"lost_ring_full", "raise mem= (run: --mem)"},
    {"lost_memory_full", "raise mem= (run: --mem)"},
    {"threads_without_timer", "a message of the agent says why"},
    {"times_shallow_calls", "raise mem= (run: --mem)"},
    {FOLD_COUNT, "raise --memory"},
};

struct rows {
    const struct profile_quality *row;
    uint32_t count;
    double seconds; /* of CPU time for a sample; 0: unknown */
};

uint64_t quality_value(const struct profile *profile, const char *name)
{
    uint32_t count = 0;
    const struct profile_quality *row = profile_quality(profile, &count);

    for (uint32_t i = 0; i < count; i++)
        if (strcmp(row[i].name, name) == 0)
            return row[i].count;
    return 0;
}

/* native=y: threads that are not Java's are in the tables. */
static int has_all_threads(const struct profile *profile)
{
    uint32_t count = 0;
    const struct profile_quality *row = profile_quality(profile, &count);

    for (uint32_t i = 0; i < count; i++)
        if (strcmp(row[i].name, "other_samples") == 0)
            return 1;
    return 0;
}

static enum line line_of(const char *name, const char **ret_words)
{
    *ret_words = name;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].name, name) == 0) {
            *ret_words = known[i].words;
            return known[i].line;
        }
    }
    return LINE_OTHER;
}

/* "  HEADING: 12 this, 3 that", or nothing if all of the line's counts are 0. */
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
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (ns % units[i].ns == 0) {
            fprintf(out, "%" PRIu64 " %s", ns / units[i].ns, units[i].word);
            return;
        }
    }
}

static void print_head(FILE *out, struct profile *profile, uint64_t ticks)
{
    uint64_t samples = quality_value(profile, "samples");
    uint64_t walked = quality_value(profile, "walked");
    uint64_t interval_ns = quality_value(profile, "interval_ns");

    if (samples == 0 && ticks == 0 && profile_sums(profile, EVENT_SAMPLE)->tables == 0)
        return; /* a file of other tables */
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
    if (quality_percent_cut(profile) > 0)
        fprintf(out, ", %.2f%% of these cut", quality_percent_cut(profile));
    putc('\n', out);
}

static void print_hints(FILE *out, struct profile *profile)
{
    uint64_t samples = quality_value(profile, "samples"),
             largest = quality_value(profile, "largest_weight"),
             failed = quality_value(profile, "failed");

    if (quality_percent_cut(profile) > 0)
        fputs("  hint: totals miss the callers that were cut; depth= (run: -d) keeps more\n", out);
    if (samples > 0 && failed * FAILED_PART > samples)
        fprintf(out, "  hint: %.2f%% of the stacks could not be read; -v says why\n",
                100.0 * (double)failed / (double)samples);
    if (largest >= LARGE_WEIGHT && largest * LARGE_PART > samples)
        fprintf(out,
                "  hint: one sample stands for %" PRIu64 " intervals, %.2f%% of all: its time may "
                "belong to other stacks\n",
                largest, 100.0 * (double)largest / (double)samples);
    for (size_t i = 0; i < sizeof(advised) / sizeof(advised[0]); i++) {
        uint64_t count = quality_value(profile, advised[i].name);
        const char *words;
        enum line line = line_of(advised[i].name, &words);

        if (count > 0 && (line != LINE_CAUSE || count * CAUSE_PART >= samples))
            fprintf(out, "  hint: %" PRIu64 " %s: %s\n", count, words, advised[i].advice);
    }
}

double quality_percent_cut(const struct profile *profile)
{
    uint64_t walked = quality_value(profile, "walked");

    return walked > 0 ? 100.0 * (double)quality_value(profile, "truncated") / (double)walked : 0;
}

void quality_print(FILE *out, struct profile *profile, uint64_t ticks, int is_verbose)
{
    struct rows rows = {0};

    rows.row = profile_quality(profile, &rows.count);
    rows.seconds = (double)quality_value(profile, "interval_ns") / 1e9;
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

void quality_why_none(const struct profile *profile, char *to, size_t room)
{
    uint64_t allocated = quality_value(profile, "alloc_interval"),
             cpu_ns = quality_value(profile, "interval_ns"),
             wall_ns = quality_value(profile, "wall_interval_ns"),
             shorter = quality_value(profile, "lock_shorter");
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
