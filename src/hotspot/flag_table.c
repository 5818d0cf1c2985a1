/*
 * flag_table.c - see flag_table.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/flag_table.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "base/err.h"
#include "hotspot/vmtables.h"
#include "safe/mem.h"

/* A VM has 500 to 1500 flags; a number beyond FLAGS_MAX means damage. */
enum { FLAGS_MAX = 10000, ROW_MAX = 4096 };

static uint64_t read_word(struct mem *m, uint64_t addr)
{
    uint64_t value = 0;
    return mem_read(m, addr, &value, sizeof(value)) < 0 ? 0 : value;
}

int flag_table_begin(struct mem *m, const struct vmtables *t, struct flag_table *ret_table)
{
    struct flag_table f = {.mem = m, .type = "JVMFlag"};
    uint64_t size = 0, flags = 0, count = 0, name = 0, value = 0;
    if (!vmtables_find(t, 't', f.type, "", &size))
        f.type = "Flag";
    if (!vmtables_find(t, 't', f.type, "", &size) ||
        !vmtables_find(t, 's', f.type, "flags", &flags) ||
        !vmtables_find(t, 's', f.type, "numFlags", &count) ||
        !vmtables_find(t, 'f', f.type, "_name", &name) ||
        !vmtables_find(t, 'f', f.type, "_addr", &value))
        return E_FACT_MISSING;
    f.row = read_word(m, flags);
    f.left = read_word(m, count);
    if (f.row == 0 || f.left > FLAGS_MAX || size == 0 || size > ROW_MAX || name > size ||
        value > size)
        return E_FACT_MISSING;
    f.row_size = (uint32_t)size;
    f.name = (uint32_t)name;
    f.value = (uint32_t)value;
    *ret_table = f;
    return 0;
}

void flag_table_step(struct flag_table *f)
{
    f->left--;
    f->row += f->row_size;
}

uint64_t flag_table_name(const struct flag_table *f)
{
    return read_word(f->mem, f->row + f->name);
}

uint64_t flag_table_value(const struct flag_table *f)
{
    return read_word(f->mem, f->row + f->value);
}

/* Whether the C string at `addr` is `name`. */
static bool is_string(struct mem *m, uint64_t addr, const char *name)
{
    char text[64];
    size_t len = strlen(name) + 1;
    if (len > sizeof(text) || addr == 0)
        return false;
    /* The first byte decides in most cases, and prevents a read across the end of a mapping. */
    if (mem_read(m, addr, text, 1) < 0 || text[0] != name[0])
        return false;
    return mem_read(m, addr, text, len) == 0 && memcmp(text, name, len) == 0;
}

uint64_t flag_table_find(struct mem *m, const struct vmtables *t, const char *name)
{
    struct flag_table f;
    if (flag_table_begin(m, t, &f) < 0)
        return 0;
    for (; f.left > 0; flag_table_step(&f))
        if (is_string(m, flag_table_name(&f), name))
            return flag_table_value(&f);
    return 0;
}
