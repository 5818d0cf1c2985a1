/*
 * jvmpi_mount.c - see jvmpi_mount.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvmpi/jvmpi_mount.h"
#include <stddef.h>
#include <string.h>
#include "classfile/instrument.h"

static const struct {
    const char *class_name, *method;
} rows[] = {
#define MOUNTS(class_name, method) {class_name, method},
#include "jvmpi/jvmpi_mount.def"
#undef MOUNTS
};

static bool is_class(struct cpool_utf8 name, const char *row)
{
    size_t len = strlen(row);
    if (row[len - 1] != '*')
        return cpool_utf8_is(name, row);
    return name.len >= len - 1 && memcmp(name.bytes, row, len - 1) == 0;
}

bool jvmpi_mount_calls(const struct instrument_method *m)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (cpool_utf8_is(m->name, rows[i].method) && is_class(m->class_name, rows[i].class_name))
            return true;
    return false;
}
