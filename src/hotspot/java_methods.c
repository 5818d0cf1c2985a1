/*
 * java_methods.c - see java_methods.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/java_methods.h"
#include "hotspot/target.h"
#include "safe/hs_method.h"
#include <stdlib.h>
#include <string.h>

enum {
    TEXT_BYTES = 4096,
    LINES_BYTES = 65536,
};

void java_methods_init(struct java_methods *m, const struct target *t)
{
    *m = (struct java_methods){.target = t};
}

static void free_method(struct java_method *method)
{
    if (!method)
        return;
    free(method->class_name);
    free(method->name);
    free(method->signature);
    free(method->source_file);
    free(method->lines);
    free(method);
}

void java_methods_done(struct java_methods *m)
{
    for (uint32_t i = 0; i < m->capacity; i++)
        free_method(m->slots[i]);
    free(m->slots);
    m->slots = NULL;
    m->capacity = m->count = 0;
}

static uint32_t slot_of(const struct java_methods *m, uint64_t addr)
{
    uint32_t mask = m->capacity - 1, i = (uint32_t)((addr * 0x9e3779b97f4a7c15u) >> 40) & mask;
    while (m->slots[i] && m->slots[i]->addr != addr)
        i = (i + 1) & mask;
    return i;
}

static int grow(struct java_methods *m)
{
    struct java_methods grown = {.target = m->target, .count = m->count};
    grown.capacity = m->capacity == 0 ? 256 : m->capacity * 2;
    grown.slots = calloc(grown.capacity, sizeof(struct java_method *));
    if (!grown.slots)
        return 0;
    for (uint32_t i = 0; i < m->capacity; i++) {
        if (m->slots[i])
            grown.slots[slot_of(&grown, m->slots[i]->addr)] = m->slots[i];
    }
    struct java_method **old = m->slots;
    m->slots = grown.slots;
    m->capacity = grown.capacity;
    free(old);
    return 1;
}

void java_methods_external_name(char *name)
{
    char *plus = strrchr(name, '+');
    for (char *p = name; *p != 0; p++) {
        if (*p == '/')
            *p = '.';
    }
    /* The name of a hidden class ends with + and its address; the VM appends them. */
    if (plus && strncmp(plus, "+0x", 3) == 0)
        *plus = '/';
}

static char *symbol(struct mem_view *view, const struct hs_layout *l, uint64_t addr,
                    const char *otherwise)
{
    char text[TEXT_BYTES];
    int len = addr == 0 ? -1 : hs_method_symbol_text(view, l, addr, text, sizeof(text) - 1);
    if (len < 0)
        return !otherwise ? NULL : strdup(otherwise);
    text[len] = 0;
    return strdup(text);
}

static struct java_method *read_method(const struct target *t, uint64_t addr)
{
    struct mem_view view = {.mem = t->mem};
    const struct hs_layout *l = t->layout;
    struct hs_method_symbols symbols = {0, 0, 0, 0};
    struct hs_method shape;
    struct java_method *method = calloc(1, sizeof(*method));
    if (!method)
        return NULL;
    method->addr = addr;
    hs_method_symbols(&view, l, addr, &symbols);
    method->class_name = symbol(&view, l, symbols.class_name, "?");
    method->name = symbol(&view, l, symbols.name, "?");
    method->signature = symbol(&view, l, symbols.signature, "");
    method->source_file = symbol(&view, l, symbols.source_file, NULL);
    if (!method->class_name || !method->name || !method->signature) {
        free_method(method);
        return NULL;
    }
    java_methods_external_name(method->class_name);
    method->is_native = hs_method_read(&view, l, addr, &shape) && shape.is_native;
    uint64_t lines_at;
    uint32_t len = hs_method_line_table(&view, l, addr, LINES_BYTES, &lines_at);
    method->lines = len == 0 ? NULL : malloc(len);
    if (method->lines && mem_read(t->mem, lines_at, method->lines, len) == 0)
        method->lines_len = len;
    return method;
}

const struct java_method *java_methods_get(struct java_methods *m, uint64_t addr)
{
    if (m->count * 2 >= m->capacity && !grow(m))
        return NULL;
    uint32_t slot = slot_of(m, addr);
    if (!m->slots[slot]) {
        m->slots[slot] = read_method(m->target, addr);
        if (m->slots[slot])
            m->count++;
    }
    return m->slots[slot];
}

int32_t java_methods_line(const struct java_methods *m, const struct java_method *method,
                          int32_t bci)
{
    if (method->lines_len == 0 || method->is_native)
        return -1;
    return hs_method_line(method->lines, method->lines_len,
                          (uint32_t)m->target->layout->unsigned5_excluded, bci < 0 ? 0 : bci);
}
