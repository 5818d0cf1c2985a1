/*
 * top_list.c - see top_list.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "top/top_list.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "attach/jvms.h"
#include "attach/main_class.h"
#include "base/plain.h"
#include "jvm/counters_source.h"
#include "top/top_choice.h"
#include "mem/mem_live.h"
#include "process/task_times.h"
#include "safe/clock.h"

static void fill_name(struct top_list_row *row, const struct jvm *jvm)
{
    char *name = NULL;
    if (jvm->command) {
        size_t len = main_class_len(jvm->command), from = main_class_short(jvm->command, len);
        name = strndup(jvm->command + from, len - from);
    }
    plain_copy(row->name, sizeof(row->name), name ? name : "?");
    free(name);
}

static void fill(struct top_list_row *row, const struct jvm *jvm)
{
    struct counters_source counters;
    *row = (struct top_list_row){.pid = jvm->process.pid, .began = process_began(jvm->process.pid)};
    row->uptime_s = mem_live_age_s(row->pid);
    jvm_list_put_user(row->user, jvm->process.uid);
    plain_copy(row->version, sizeof(row->version), jvm->version ? jvm->version : "?");
    fill_name(row, jvm);
    if (task_times_whole_ns(row->pid, &row->cpu_ns) < 0)
        row->cpu_ns = 0;
    row->has_counters = counters_source_open_shared(row->pid, &counters) == 0;
    if (row->has_counters)
        heap_counters_read(counters.data, &row->heap);
    counters_source_close(&counters);
}

static const struct top_list_row *find(const struct top_list *l, const struct top_list_row *row)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (l->rows[i].pid == row->pid && l->rows[i].began == row->began)
            return &l->rows[i];
    return NULL;
}

/* For a JVM that is new in the list, all its CPU time and pauses count. */
static void fill_rates(struct top_list_row *row, const struct top_list_row *before, double seconds)
{
    static const struct top_list_row none;
    const struct top_list_row *was =
        before && before->cpu_ns <= row->cpu_ns && before->heap.pause_s <= row->heap.pause_s
            ? before
            : &none;
    if (seconds <= 0)
        return;
    row->cpu_percent = (double)(row->cpu_ns - was->cpu_ns) / 1e7 / seconds;
    row->gc_percent = (row->heap.pause_s - was->heap.pause_s) / seconds * 100;
}

int top_list_turn(struct top_list *l)
{
    struct jvms jvms;
    int error = jvms_list(&jvms);
    struct top_list now = {.rows = calloc(jvms.count + 1, sizeof(*now.rows))};
    if (error < 0 || !now.rows) {
        jvms_done(&jvms);
        free(now.rows);
        return error < 0 ? error : -ENOMEM;
    }
    now.made = time(NULL);
    now.at_ns = clock_monotonic_ns();
    now.hidden = jvms.hidden;
    now.processors = sysconf(_SC_NPROCESSORS_ONLN);
    double seconds = l->at_ns == 0 ? 0 : (double)(now.at_ns - l->at_ns) / 1e9;
    for (uint32_t i = 0; i < jvms.count; i++) {
        struct top_list_row *row = &now.rows[now.count++];
        fill(row, &jvms.rows[i]);
        fill_rates(row, find(l, row), seconds);
        now.cpu_percent += row->cpu_percent;
    }
    jvms_done(&jvms);
    free(l->rows);
    *l = now;
    return 0;
}

void top_list_done(struct top_list *l)
{
    free(l->rows);
    *l = (struct top_list){0};
}

static int by_pid(const void *a, const void *b)
{
    const struct top_list_row *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static int by_name(const void *a, const void *b)
{
    const struct top_list_row *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : by_pid(a, b);
}

static int by_cpu(const void *a, const void *b)
{
    const struct top_list_row *x = a, *y = b;
    int order = (x->cpu_percent < y->cpu_percent) - (x->cpu_percent > y->cpu_percent);
    return order != 0 ? order : by_pid(a, b);
}

static int by_mem(const void *a, const void *b)
{
    const struct top_list_row *x = a, *y = b;
    int order =
        (x->heap.used_bytes < y->heap.used_bytes) - (x->heap.used_bytes > y->heap.used_bytes);
    return order != 0 ? order : by_cpu(a, b);
}

void top_list_sort(struct top_list *l, const struct top_choice *c)
{
    static int (*const orders[])(const void *, const void *) = {
        [TOP_CHOICE_CPU] = by_cpu,
        [TOP_CHOICE_MEM] = by_mem,
        [TOP_CHOICE_NAME] = by_name,
        [TOP_CHOICE_ID] = by_pid,
    };
    if (l->count > 0)
        qsort(l->rows, l->count, sizeof(*l->rows), orders[c->sort]);
}
