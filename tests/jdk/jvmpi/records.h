/*
 * records.h - classes as their CLASS_LOAD told them, and values in the records of dumps, for the
 * agents that read dumps. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    RECORDS_CLASSES = 65536,
    RECORDS_FIELDS = 64, /* of a class, whose names are kept */
    RECORDS_IDS = 1 << 22,
    RECORDS_STEP = 16, /* ids are multiples of it */
    ID = sizeof(jobjectID),
};

struct known {
    jobjectID id;
    int interfaces, statics, fields;
    char *static_types, *types; /* the first letter of each field's signature */
    char *static_names[RECORDS_FIELDS], *names[RECORDS_FIELDS];
};

static struct known records_all[RECORDS_CLASSES];
static int records_count;
static const struct known *records_by_id[RECORDS_IDS];

static inline size_t records_number(jobjectID id)
{
    size_t n = (size_t)id / RECORDS_STEP;
    return n < RECORDS_IDS ? n : 0;
}

static inline char *records_take_fields(const JVMPI_Field *fields, int n, char **names)
{
    char *types = calloc(1, (size_t)n + 1);
    for (int i = 0; i < n; i++) {
        types[i] = fields[i].field_signature[0];
        if (i < RECORDS_FIELDS)
            names[i] = strdup(fields[i].field_name);
    }
    return types;
}

/* Keep what a CLASS_LOAD says; one at a time. */
static inline void records_note_class(const JVMPI_Event *e)
{
    struct known *k = &records_all[records_count++];
    k->id = e->u.class_load.class_id;
    k->interfaces = e->u.class_load.num_interfaces;
    k->statics = e->u.class_load.num_static_fields;
    k->fields = e->u.class_load.num_instance_fields;
    k->static_types = records_take_fields(e->u.class_load.statics, k->statics, k->static_names);
    k->types = records_take_fields(e->u.class_load.instances, k->fields, k->names);
    records_by_id[records_number(k->id)] = k;
}

static inline const struct known *class_of(jobjectID id)
{
    return records_by_id[records_number(id)];
}

static inline unsigned long long number(const char *at, int bytes)
{
    unsigned long long v = 0;

    for (int i = 0; i < bytes; i++)
        v = v << 8 | (unsigned char)at[i];
    return v;
}

static inline jobjectID id_at(const char *at)
{
    jobjectID id;
    memcpy(&id, at, ID);
    return id;
}

/* How many bytes a value has whose field's signature begins with `type`. */
static inline int width(char type, int level)
{
    if (!strchr("ZBCSIFJD", type))
        return ID;
    if (level == JVMPI_DUMP_LEVEL_1)
        return 0;
    return strchr("ZB", type) ? 1 : strchr("CS", type) ? 2 : strchr("IF", type) ? 4 : 8;
}

static inline int width_all(const char *types, int level)
{
    int bytes = 0;
    for (; *types; types++)
        bytes += width(*types, level);
    return bytes;
}

/* A field's value among those that begin at `at`; *ret_bytes is how many bytes it has. */
static inline const char *find(const char *at, const char *types, char *const *names,
                               const char *name, int *ret_bytes, int level)
{
    for (int i = 0; types[i]; i++) {
        *ret_bytes = width(types[i], level);
        if (strcmp(names[i], name) == 0)
            return at;
        at += *ret_bytes;
    }
    return NULL;
}
