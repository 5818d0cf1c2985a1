/*
 * metric_jvm.h - one JVM that is read again and again.
 *
 * What can be opened stays open between two readings: the file of counters, and the VM's own
 * description of its memory. Other users' JVMs often permit neither; then the samples are those of
 * /proc. Context: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "jvm/counters_source.h"
#include "metrics/metric.h"

struct jvm;
struct metric_vm;

enum { METRIC_JVM_VERSION = 64 };

struct metric_jvm_open {
    struct metric_jvm about;
    char version[METRIC_JVM_VERSION]; /* of its JDK; "": unknown */
    uint64_t began;                   /* process_began() */
    struct counters_source counters;
    bool has_counters;
    struct metric_vm *vm; /* NULL: its memory cannot be read */
    uint32_t tries;       /* how often it was tried to open what is missing */
    bool is_listed;       /* for metric_host.c */
};

/** Opens a JVM. What cannot be opened is left out. Owner: metric_jvm_close(). */
void metric_jvm_open(const struct jvm *jvm, struct metric_jvm_open *ret_jvm);
void metric_jvm_close(struct metric_jvm_open *j);
/** Adds the samples of the JVM. Returns false, and adds nothing, if it has ended. */
bool metric_jvm_read(struct metric_jvm_open *j, struct metric_set *s);
