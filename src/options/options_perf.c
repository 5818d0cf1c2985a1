/* options_perf.c - see options_perf.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_perf.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "kind/kind.h"

static const struct options_perf defaults = {0};

static const struct options_row rows[] = {
    {"perf", .share = OPTIONS_ROW_FIXED_IF_SAID, .kind = OPTIONS_ROW_COUNT, .part = OPTIONS_ROW_NEW,
     .at = offsetof(struct options_perf, interval), .least = 1, .values = "<count>",
     .about = "event=cycles ...: from sample to sample", .shown = "as the event",
     .missing = "syntax error parsing perf=count",
     .wrong = "perf option value must be a number of events, 1 or more"},
    {0},
};

/* take_word() knows the words; nobody can write this one, as + joins words. */
static const struct options_ask asks[] = {{"event", "+", .value = 1, .is_hidden = true}, {0}};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_COUNTS | OPTIONS_MARK_MOMENTS : 0;
}

/* Whether `hprof probe` has what this word names. */
static bool is_of_probe(const char *word)
{
    return strncmp(word, "usdt:", 5) == 0 || strncmp(word, "uretprobe:", 10) == 0;
}

static int take_word(void *own, const char *word, char *ret_why, size_t size)
{
    struct options_perf *o = own;
    struct perf_attr event;
    int error = perf_attr_named(word, &event);
    if (error == E_NOT_FOUND && is_of_probe(word)) {
        snprintf(ret_why, size,
                 "event %s: this is no event of a recording; hprof probe PID trace '%s' has it",
                 word, word);
        return E_SYNTAX;
    }
    if (error == E_NOT_FOUND)
        return error;
    if (error == E_SYNTAX && word[0] == 'k')
        snprintf(ret_why, size,
                 "event %s: the name of a function of the kernel is wanted, as in "
                 "kprobe:tcp_sendmsg",
                 word);
    else if (error == E_SYNTAX && word[0] == 'u')
        snprintf(ret_why, size,
                 "event %s: a library and its function are wanted, as in uprobe:libc:fsync", word);
    else if (error == E_SYNTAX)
        snprintf(ret_why, size,
                 "event %s: an address is mem:ADDRESS, mem:ADDRESS/LENGTH or with "
                 ":rwx behind it; a length is 1, 2, 4 or 8",
                 word);
    else if (error == -ENOENT)
        snprintf(ret_why, size,
                 "no event %s: tracefs has no such tracepoint, or is not mounted "
                 "at /sys/kernel/tracing",
                 word);
    else if (error)
        snprintf(ret_why, size, "event %s: tracefs cannot be read (%s); root can", word,
                 err_text(error));
    else if (o && o->event[0] && strcmp(o->event, event.name) != 0)
        snprintf(ret_why, size,
                 "event %s: %s is counted already, and one such event is counted "
                 "at a time",
                 event.name, o->event);
    else {
        if (o)
            memcpy(o->event, event.name, sizeof(o->event));
        return 0;
    }
    return E_SYNTAX;
}

static int works_here(const void *own, char *ret_why, size_t size)
{
    const struct options_perf *o = own;
    struct perf_attr event;
    bool sees_kernel;
    char why[OPTIONS_MESSAGE / 2] = "it has no such name";
    int error = perf_attr_named(o->event, &event);
    if (!error && o->interval && (uint64_t)o->interval < event.least) {
        snprintf(ret_why, size,
                 "event %s: perf=%d would leave the program no time: use %llu at "
                 "least",
                 o->event, o->interval, (unsigned long long)event.least);
        return E_LIMIT;
    }
    if (!error)
        error = perf_attr_probe(&event, &sees_kernel, why, sizeof(why));
    if (error)
        snprintf(ret_why, size, "event %s: %s", o->event, why);
    return error;
}

const struct options_group options_perf = {
    .name = "perf",
    .bytes = sizeof(defaults),
    .defaults = &defaults,
    .rows = rows,
    .asks = asks,
    .take_word = take_word,
    .works_here = works_here,
    .asked_by = "event=page-faults",
    .marks = marks,
    .kinds = 1 << KIND_PERF,
};
