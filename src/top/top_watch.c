/*
 * top_watch.c - see top_watch.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "top/top_watch.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/cmd.h"
#include "command/say.h"
#include "command/textbuf.h"
#include "top/top_json.h"
#include "top/top_jvm.h"
#include "top/top_list.h"
#include "top/top_text.h"
#include "mem/mem_stop.h"
#include "safe/clock.h"

#define PATIENCE_NS ((uint64_t)5 * NS_PER_S)
#define OWED_NS (NS_PER_S / 100)

/* The time from which the JVM may be stopped again. */
static uint64_t look_due(const struct top_watch *w)
{
    return w->jvm ? w->looked_ns + top_jvm_pause_ns(w->jvm, 0) : 0;
}

/* The time of the next page. A page includes a look, so it waits until a look is allowed. But after
 * one very long stop, as on a busy machine, the page does not wait for a hundred times that
 * long. */
static uint64_t page_due(const struct top_watch *w, uint64_t wanted_ns)
{
    uint64_t look_ns = look_due(w), late_ns = wanted_ns + PATIENCE_NS;
    return wanted_ns > look_ns ? wanted_ns : look_ns < late_ns ? look_ns : late_ns;
}

uint64_t top_watch_first(const struct top_watch *w, uint64_t began_ns)
{
    return began_ns + (w->interval_ns < NS_PER_S ? w->interval_ns : NS_PER_S);
}

/* The time of the next look; UINT64_MAX: no look before the page. */
static uint64_t next_look(const struct top_watch *w)
{
    if (!w->jvm || w->look_ns == 0)
        return UINT64_MAX;
    return w->looked_ns + top_jvm_pause_ns(w->jvm, w->look_ns);
}

int top_watch_wait(struct top_watch *w, uint64_t wanted_ns, int fd)
{
    for (;;) {
        uint64_t now_ns = clock_monotonic_ns(), look_ns = next_look(w);
        uint64_t until_ns = page_due(w, wanted_ns);
        uint64_t next_ns = look_ns < until_ns ? look_ns : until_ns;
        uint64_t left_ns = next_ns > now_ns ? next_ns - now_ns : 0;
        /* Threads that were stopped too late stand still until they are released, so wait only
         * briefly. */
        if (mem_stop_owed() > 0 && left_ns > OWED_NS) {
            left_ns = OWED_NS;
            next_ns = now_ns + OWED_NS;
        }
        struct timespec left = clock_timespec(left_ns);
        struct pollfd input = {.fd = fd, .events = POLLIN};

        /* A signal ends the wait too: the terminal has changed. */
        if (ppoll(&input, 1, &left, NULL) != 0)
            return 1;
        if (next_ns == until_ns)
            return 0;
        if (next_ns != look_ns)
            continue;
        int error = top_jvm_look(w->jvm);
        if (error < 0)
            return error;
        w->looked_ns = clock_monotonic_ns();
    }
}

int top_watch_idle(int fd)
{
    struct pollfd input = {.fd = fd, .events = POLLIN};
    while (poll(&input, 1, mem_stop_owed() > 0 ? (int)(OWED_NS / NS_PER_MS) : -1) == 0)
        ;
    return 1;
}

int top_watch_turn(struct top_watch *w)
{
    bool may_stop = clock_monotonic_ns() >= look_due(w);
    int error = w->jvm ? top_jvm_turn(w->jvm, may_stop) : top_list_turn(w->list);
    if (may_stop)
        w->looked_ns = clock_monotonic_ns();
    return error;
}

void top_watch_put(struct top_watch *w, struct textbuf *t)
{
    if (w->jvm)
        top_text_page(t, &w->jvm->page, &w->choice);
    else
        top_text_list(t, w->list, &w->choice);
}

static int print_page(struct top_watch *w, struct sink *s, bool is_first)
{
    struct textbuf text = {0};
    if (w->is_json && w->jvm) {
        top_json_page(s, &w->jvm->page, &w->choice);
    } else if (w->is_json) {
        top_json_list(s, w->list, &w->choice);
    } else {
        if (!is_first)
            textbuf_char(&text, '\n');
        top_watch_put(w, &text);
        textbuf_flush(&text, s);
    }
    int error = text.is_bad ? -ENOMEM : sink_flush(s);
    textbuf_done(&text);
    return error;
}

int top_watch_end(const struct top_watch *w, int error)
{
    const char *who = w->jvm ? w->jvm->word : "top";
    if (error == 0)
        return CMD_OK;
    if (error == -ESRCH)
        say("%s: the JVM has ended", who);
    else
        say("%s: %s", who, err_text(error));
    return error == -ESRCH ? CMD_OK : CMD_FAILED;
}

int top_watch_print(struct top_watch *w)
{
    struct sink s;
    int error = sink_init(&s, STDOUT_FILENO);
    if (error < 0)
        return top_watch_end(w, error);
    uint64_t next_ns = top_watch_first(w, clock_monotonic_ns());
    for (uint32_t pages = 0; error == 0 && (w->count == 0 || pages < w->count); pages++) {
        while ((error = top_watch_wait(w, next_ns, -1)) == 1)
            ;
        if (error == 0)
            error = top_watch_turn(w);
        if (error == 0)
            error = print_page(w, &s, pages == 0);
        next_ns += w->interval_ns;
    }
    int failed = sink_done(&s);
    return top_watch_end(w, error < 0 ? error : failed);
}
