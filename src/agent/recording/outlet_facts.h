/*
 * outlet_facts.h - the events of a JFR recording that describe where it was made: the VM, its
 * command line and properties, the system, its processors.
 *
 * They are collected once, when the recording begins, and written at the start of each chunk.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

struct agent;
struct jfr_out;
struct options;

struct outlet_facts_property {
    const char *key, *value;
};

struct outlet_facts {
    struct arena arena; /* memory of all texts */
    struct outlet_facts_property *properties;
    uint32_t property_count;
    const char *vm_name, *vm_version, *vm_arguments, *java_arguments;
    const char *os, *cpu;
    uint32_t sockets, cores, threads;
    uint64_t vm_start_ms; /* ms since 1970 */
};

/** Collect the facts, without what `o` says is secret. Context: java. Owner: outlet_facts_done().
 */
void outlet_facts_collect(struct outlet_facts *f, struct agent *a, const struct options *o);
void outlet_facts_done(struct outlet_facts *f);
/** Write the facts as events with the time `time_ns`. */
void outlet_facts_put(const struct outlet_facts *f, struct jfr_out *o, uint64_t time_ns);
