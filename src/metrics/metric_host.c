/*
 * metric_host.c - see metric_host.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "metrics/metric_host.h"
#include <errno.h>
#include <stdlib.h>
#include "attach/jvms.h"
#include "metrics/metric_jvm.h"
#include "process/process.h"
#include "safe/clock.h"

enum { FIRST_ROOM = 16 };

static struct metric_jvm_open *find(const struct metric_host *h, pid_t pid)
{
    for (uint32_t i = 0; i < h->count; i++)
        if (h->rows[i]->about.pid == pid &&
            !process_has_ended_since(h->rows[i]->about.pid, h->rows[i]->began))
            return h->rows[i];
    return NULL;
}

static int add(struct metric_host *h, const struct jvm *jvm)
{
    struct metric_jvm_open *found = find(h, jvm->process.pid);
    if (found) {
        found->is_listed = true;
        return 0;
    }
    if (h->count == h->room) {
        uint32_t room = h->room == 0 ? FIRST_ROOM : h->room * 2;
        struct metric_jvm_open **rows =
            reallocarray(h->rows, room, sizeof(struct metric_jvm_open *));
        if (!rows)
            return -ENOMEM;
        h->rows = rows;
        h->room = room;
    }
    struct metric_jvm_open *j = malloc(sizeof(*j));
    if (!j)
        return -ENOMEM;
    metric_jvm_open(jvm, j);
    j->is_listed = true;
    h->rows[h->count++] = j;
    return 0;
}

static int by_pid(const void *a, const void *b)
{
    const struct metric_jvm_open *const *x = a, *const *y = b;
    return ((*x)->about.pid > (*y)->about.pid) - ((*x)->about.pid < (*y)->about.pid);
}

/* Drops the JVMs that the last search has not found. */
static void keep_listed(struct metric_host *h)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < h->count; i++) {
        if (h->rows[i]->is_listed) {
            h->rows[kept++] = h->rows[i];
            continue;
        }
        metric_jvm_close(h->rows[i]);
        free(h->rows[i]);
    }
    h->count = kept;
}

static int take(struct metric_host *h, const struct jvms *jvms)
{
    int error = 0;
    for (uint32_t i = 0; i < h->count; i++)
        h->rows[i]->is_listed = false;
    for (uint32_t i = 0; i < jvms->count && error == 0; i++)
        error = add(h, &jvms->rows[i]);
    keep_listed(h);
    if (h->count > 0)
        qsort(h->rows, h->count, sizeof(struct metric_jvm_open *), by_pid);
    h->hidden = jvms->hidden;
    h->seen_ns = clock_monotonic_ns();
    return error;
}

int metric_host_open(struct metric_host *h, const struct jvms *jvms, bool is_all)
{
    *h = (struct metric_host){.is_all = is_all};
    metric_set_init(&h->set);
    int error = take(h, jvms);
    /* With `is_all` the caller need not have searched: the first reading does. */
    h->seen_ns = 0;
    return error;
}

void metric_host_close(struct metric_host *h)
{
    for (uint32_t i = 0; i < h->count; i++) {
        metric_jvm_close(h->rows[i]);
        free(h->rows[i]);
    }
    free(h->rows);
    metric_set_done(&h->set);
    *h = (struct metric_host){0};
}

static int search(struct metric_host *h)
{
    struct jvms jvms;
    int error = jvms_list(&jvms);
    if (error == 0)
        error = take(h, &jvms);
    jvms_done(&jvms);
    return error;
}

int metric_host_read(struct metric_host *h)
{
    uint64_t began_ns = clock_monotonic_ns();
    uint32_t read = 0;
    metric_set_reset(&h->set);
    if (h->is_all && began_ns - h->seen_ns >= NS_PER_S) {
        int error = search(h);
        if (error < 0)
            return error;
    }
    for (uint32_t i = 0; i < h->count; i++)
        read += metric_jvm_read(h->rows[i], &h->set);
    if (!h->is_all && read == 0)
        return -ESRCH;
    metric_set_labelled(&h->set, METRIC_JVMS, read, "hprof.jvms.state", "read");
    if (h->is_all)
        metric_set_labelled(&h->set, METRIC_JVMS, h->hidden, "hprof.jvms.state", "hidden");
    metric_set_value(&h->set, METRIC_SCRAPE_TIME,
                     (double)(clock_monotonic_ns() - began_ns) / NS_PER_S);
    return h->set.is_bad ? -ENOMEM : 0;
}
