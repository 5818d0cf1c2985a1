/*
 * metric_jvm.c - see metric_jvm.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "metrics/metric_jvm.h"
#include <stdlib.h>
#include <string.h>
#include "attach/jvms.h"
#include "attach/main_class.h"
#include "base/plain.h"
#include "metrics/metric_counters.h"
#include "metrics/metric_process.h"
#include "metrics/metric_vm.h"
#include "metrics/metric_vm_threads.h"
#include "perfdata/perfdata.h"
#include "process/process.h"

enum { TRIES = 5 }; /* a JVM that is just starting is not complete at the first reading */

/* The class with its packages, or the jar without its folders. */
static void copy_main(char main[METRIC_NAME], const char *command)
{
    char name[METRIC_NAME];
    size_t len = main_class_len(command);
    const char *slash = memrchr(command, '/', len);
    const char *from = slash && slash + 1 < command + len ? slash + 1 : command;
    len -= (size_t)(from - command);
    if (len >= sizeof(name))
        len = sizeof(name) - 1;
    memcpy(name, from, len);
    name[len] = '\0';
    plain_copy(main, METRIC_NAME, name);
}

static void close_counters(struct metric_jvm_open *j)
{
    counters_source_close(&j->counters);
    j->counters = (struct counters_source){.file = {.fd = -1}};
    j->has_counters = false;
}

static void close_vm(struct metric_jvm_open *j)
{
    if (j->vm)
        metric_vm_close(j->vm);
    free(j->vm);
    j->vm = NULL;
}

/* Opens what is not open yet. */
static void open_missing(struct metric_jvm_open *j)
{
    j->tries++;
    if (!j->has_counters) {
        j->has_counters = counters_source_open_quietly(j->about.pid, &j->counters) == 0 &&
                          j->counters.data->is_accessible;
        if (!j->has_counters)
            close_counters(j);
    }
    if (j->vm)
        return;
    j->vm = calloc(1, sizeof(*j->vm));
    if (j->vm && metric_vm_open(j->about.pid, j->vm) < 0)
        close_vm(j);
}

void metric_jvm_open(const struct jvm *jvm, struct metric_jvm_open *ret)
{
    *ret = (struct metric_jvm_open){.about = {.pid = jvm->process.pid},
                                    .began = process_began(jvm->process.pid),
                                    .counters = {.file = {.fd = -1}}};
    if (jvm->command)
        copy_main(ret->about.main, jvm->command);
    memcpy(ret->about.container, jvm->container, sizeof(ret->about.container));
    if (jvm->version)
        plain_copy(ret->version, sizeof(ret->version), jvm->version);
    open_missing(ret);
}

void metric_jvm_close(struct metric_jvm_open *j)
{
    close_counters(j);
    close_vm(j);
}

static void add_about(const struct metric_jvm_open *j, struct metric_set *s)
{
    if (j->version[0] == '\0')
        metric_set_value(s, METRIC_JVM, 1);
    else
        metric_set_labelled(s, METRIC_JVM, 1, "process.runtime.version",
                            metric_set_text(s, j->version));
}

static uint64_t stops_of(const struct metric_jvm_open *j)
{
    return j->has_counters ? (uint64_t)perfdata_number_of(j->counters.data, "sun.rt.safepoints", 0)
                           : 0;
}

bool metric_jvm_read(struct metric_jvm_open *j, struct metric_set *s)
{
    struct metric_level level;
    bool has_threads = false;
    if (process_has_ended_since(j->about.pid, j->began))
        return false;
    if ((!j->has_counters || !j->vm) && j->tries < TRIES)
        open_missing(j);
    if (j->has_counters && counters_source_refresh(&j->counters) < 0)
        close_counters(j);
    metric_set_jvm(s, &j->about);
    add_about(j, s);
    metric_process_read(s, j->about.pid, j->vm ? metric_vm_processors(j->vm) : 0);
    if (j->vm) {
        metric_vm_look(j->vm, &level);
        metric_vm_read(j->vm, s, stops_of(j));
        has_threads = metric_vm_threads_read(j->vm, s);
    }
    if (j->has_counters)
        metric_counters_read(s, j->counters.data, j->vm ? &level : NULL, has_threads);
    else if (j->vm)
        metric_counters_read_none(s, &level);
    /* A JVM that has ended meanwhile was read in part. */
    if (!process_has_ended_since(j->about.pid, j->began))
        return true;
    metric_set_drop(s);
    return false;
}
