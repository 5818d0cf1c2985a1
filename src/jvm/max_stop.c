/*
 * max_stop.c - see max_stop.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/max_stop.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "command/cmd.h"
#include "command/say.h"
#include "jvm/heap_counters.h"
#include "jvm/stat_value.h"
#include "safe/clock.h"
#include "safe/release.h"

const uint64_t max_stop_usual_ns = NS_PER_S;

int max_stop_parse(const struct cmd *cmd, const char *text, uint64_t *ret_ns)
{
    uint64_t ns = 0;
    size_t digits = strspn(text, "0123456789");
    bool is_none = strcmp(text, "0") == 0 || strcmp(text, "none") == 0;
    bool is_bare = text[digits] == '\0';
    if (!is_none && (is_bare || units_parse_duration(text, 1, &ns) < 0 || ns == 0)) {
        say("%s: --max-stop '%s': a time with its unit is wanted, as in 1s or 200ms, or none",
            cmd->name, text);
        return -EINVAL;
    }
    *ret_ns = ns;
    return 0;
}

const char *max_stop_text(uint64_t ns)
{
    static char text[32];
    if (ns >= NS_PER_S)
        snprintf(text, sizeof(text), "%.3g s", (double)ns / (double)NS_PER_S);
    else
        snprintf(text, sizeof(text), "%.3g ms", (double)ns / (double)NS_PER_MS);
    return text;
}

void max_stop_say_before(const char *who, uint64_t expected_ns, uint64_t most_ns, const char *what)
{
    uint64_t longest_ns = most_ns != 0 && most_ns < expected_ns ? most_ns : expected_ns;
    if (longest_ns > NS_PER_S)
        say("%s: will stand still for up to %s: %s", who, max_stop_text(longest_ns), what);
}

/* ---- the pause of a work with the heap */

/* Nanoseconds for each kilobyte (1000 bytes) of used heap. */
static const struct rate {
    uint32_t before, since; /* JDKs before RELEASE_DUMP_IS_QUICK, and JDKs since */
} rates[MAX_STOP_WORKS] = {
    [MAX_STOP_HISTO] = {500, 500},      [MAX_STOP_DUMP] = {4000, 2000},
    [MAX_STOP_PACKED] = {10000, 10000}, [MAX_STOP_FORK] = {50, 50},
    [MAX_STOP_STAND] = {2000, 2000},
};

enum { COLLECTION_NS = 1000 }; /* nanoseconds for each kilobyte, added for a full collection */

static double used_bytes(const struct perfdata *p)
{
    struct heap_counters heap;
    heap_counters_read(p, &heap);
    return heap.used_bytes;
}

static uint64_t reckon_ns(const struct perfdata *p, double bytes, enum max_stop_work work,
                          bool is_live)
{
    const struct rate *rate = &rates[work];
    uint32_t ns = stat_value_release(p) < RELEASE_DUMP_IS_QUICK ? rate->before : rate->since;
    if (is_live && work != MAX_STOP_FORK && work != MAX_STOP_STAND)
        ns += COLLECTION_NS;
    return (uint64_t)(bytes / 1000 * ns);
}

int max_stop_check_heap(const struct perfdata *p, const char *who, enum max_stop_work work,
                        bool is_live, uint64_t most_ns, const char *instead)
{
    double bytes = used_bytes(p); /* read once, because the values change while the JVM runs */
    uint64_t expected_ns = reckon_ns(p, bytes, work, is_live);
    char expected[32], what[64];
    if (most_ns == 0 || expected_ns <= most_ns) {
        snprintf(what, sizeof(what), "%.1f GB of its heap are in use", bytes / 1e9);
        max_stop_say_before(who, expected_ns, most_ns, what);
        return CMD_OK;
    }
    snprintf(expected, sizeof(expected), "%s", max_stop_text(expected_ns));
    say("%s: it would stand still for about %s, %.1f GB of its heap being in use; the bound is %s: "
        "use%s --max-stop none",
        who, expected, bytes / 1e9, max_stop_text(most_ns), instead);
    return CMD_FAILED;
}
