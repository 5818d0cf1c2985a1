/*
 * counters_renamed.c - see counters_renamed.h.
 *
 * The rows were found by comparing the counters of programs on JDK 8, 11, 17, 21, 25, 26, 27 and 28
 * with the collectors Serial, Parallel and G1. A counter that exists only after a certain event (a
 * start of a compiler thread, a class loader of a library) has no row.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/counters_renamed.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct counters_renamed rows[] = {
    {"sun.gc.tlab.slowWaste", "sun.gc.tlab.refillWaste", 17, NULL},
    {"sun.gc.tlab.maxSlowWaste", "sun.gc.tlab.maxRefillWaste", 17, NULL},
    {"sun.gc.tlab.fastWaste", NULL, 17, NULL},
    {"sun.gc.tlab.maxFastWaste", NULL, 17, NULL},
    {"sun.gc.generation.2.", NULL, 8, "sun.gc.metaspace.*"},
    {"java.property.java.ext.dirs", NULL, 9, NULL},
    {"java.property.java.endorsed.dirs", NULL, 9, NULL},
    {"sun.property.sun.boot.class.path", NULL, 9, "hprof props"},
    {"sun.cls.isUnsyncloadClassSet", NULL, 11, NULL},
    {"sun.rt.interruptedBeforeIO", NULL, 11, NULL},
    {"sun.rt.interruptedDuringIO", NULL, 11, NULL},
    {"sun.rt.threadInterruptSignaled", NULL, 11, NULL},
    {"sun.cls.jniDefineClassNoLockCalls", NULL, 17, NULL},
    {"sun.cls.jvmDefineClassNoLockCalls", NULL, 17, NULL},
    {"sun.cls.jvmFindLoadedClassNoLockCalls", NULL, 17, NULL},
    {"sun.cls.loadInstanceClassFailRate", NULL, 17, NULL},
    {"sun.cls.nonSystemLoaderLockContentionRate", NULL, 17, NULL},
    {"sun.cls.systemLoaderLockContentionRate", NULL, 17, NULL},
    {"sun.cls.parseClassTime", NULL, 17, NULL},
    {"sun.cls.parseClassTime.self", NULL, 17, NULL},
    {"sun.cls.lookupSysClassTime", NULL, 21, NULL},
    {"sun.os.hrt.ticks", NULL, 25, "the uptime of hprof ps"},
    {"sun.rt._sync_", NULL, 25, "hprof record -e lock"},
    {"sun.gc.policy.", NULL, 26, NULL},
};

static bool is_group(const char *old)
{
    char last = old[strlen(old) - 1];
    return last == '.' || last == '_';
}

const struct counters_renamed *counters_renamed_find(const char *name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct counters_renamed *row = &rows[i];
        if (is_group(row->old) ? strncmp(name, row->old, strlen(row->old)) == 0
                               : strcmp(name, row->old) == 0)
            return row;
        if (row->now && strcmp(name, row->now) == 0)
            return row;
    }
    return NULL;
}

const char *counters_renamed_other(const struct counters_renamed *row, const char *name)
{
    return row->now && strcmp(name, row->now) == 0 ? row->old : row->now;
}
