/*
 * method_debug.c - see method_debug.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/method_debug.h"
#include <errno.h>
#include <stdio.h>
#include "base/err.h"
#include "hotspot/target.h"
#include "safe/mem.h"

/* Bytes of a row: MethodParametersElement, CheckedExceptionElement, ExceptionTableElement. */
enum {
    PARAMETER_BYTES = 4,
    CHECKED_BYTES = 2,
    EXCEPTION_BYTES = METHOD_DEBUG_HANDLER,
    LENGTH_BYTES = 2
};

/* A flag of a ConstMethod; 0: the VM has none of this name. Up to JDK 20 the flags are constants of
 * ConstMethod. */
static uint32_t flag(const struct target *t, const char *name)
{
    char text[96];
    snprintf(text, sizeof(text), "ConstMethodFlags::_misc_%s", name);
    int32_t value = target_constant(t, text, 0);
    snprintf(text, sizeof(text), "ConstMethod::_%s", name);
    return (uint32_t)(value != 0 ? value : target_constant(t, text, 0));
}

void method_debug_facts_init(struct method_debug_facts *f, const struct target *t)
{
    static const char row[] = "LocalVariableTableElement";
    *f = (struct method_debug_facts){
        .target = t,
        .has_variables = flag(t, "has_localvariable_table"),
        .has_exceptions = flag(t, "has_exception_table"),
        .has_checked = flag(t, "has_checked_exceptions"),
        .has_parameters = flag(t, "has_method_parameters"),
        .has_generic = flag(t, "has_generic_signature"),
        .annotations = {flag(t, "has_method_annotations"), flag(t, "has_parameter_annotations"),
                        flag(t, "has_type_annotations"), flag(t, "has_default_annotations")},
        .start_bci = target_field(t, row, "start_bci", -1),
        .length = target_field(t, row, "length", -1),
        .name = target_field(t, row, "name_cp_index", -1),
        .signature = target_field(t, row, "descriptor_cp_index", -1),
        .generic = target_field(t, row, "signature_cp_index", -1),
        .slot = target_field(t, row, "slot", -1),
    };
    int32_t bytes = target_size(t, row);
    f->row_bytes = bytes > 0 ? (uint32_t)bytes : 0;
    f->is_known = f->has_variables && f->has_exceptions && f->has_checked && f->has_parameters &&
                  f->has_generic && f->annotations[0] && f->annotations[1] && f->annotations[2] &&
                  f->annotations[3] && f->start_bci >= 0 && f->length >= 0 && f->name >= 0 &&
                  f->signature >= 0 && f->generic >= 0 && f->slot >= 0 && bytes > 0 &&
                  t->layout->const_full_size >= 0;
}

static bool read_u2(const struct target *t, uint64_t addr, uint32_t *ret_value)
{
    uint16_t value = 0;
    if (mem_read(t->mem, addr, &value, sizeof(value)) < 0)
        return false;
    *ret_value = value;
    return true;
}

bool method_debug_open(const struct method_debug_facts *f, uint64_t method,
                       struct method_debug *ret_method)
{
    const struct target *t = f->target;
    const struct hs_layout *l = t->layout;
    struct mem_view view = {.mem = t->mem};
    struct method_debug m = {.facts = f, .method = method};
    if (method == 0 || (method & 7) != 0)
        return false;
    m.const_method = mem_view_u8(&view, method + (uint64_t)l->method_const);
    m.code_size = mem_view_u2(&view, m.const_method + (uint64_t)l->const_code_size);
    m.pool = mem_view_u8(&view, m.const_method + (uint64_t)l->const_constants);
    m.access = mem_view_u4(&view, method + (uint64_t)l->method_access) & 0xffff;
    m.flags = mem_view_u2(&view, m.const_method + (uint64_t)l->const_flags);
    m.max_locals = mem_view_u2(&view, m.const_method + (uint64_t)l->const_max_locals);
    if (f->is_known) {
        uint64_t words = mem_view_u4(&view, m.const_method + (uint64_t)l->const_full_size);
        m.end = m.const_method + words * 8;
        for (int i = 0; i < 4; i++)
            m.end -= m.flags & f->annotations[i] ? 8 : 0;
    }
    if (view.faults != 0)
        return false;
    *ret_method = m;
    return true;
}

uint64_t method_debug_symbol(const struct method_debug *m, uint32_t index)
{
    const struct target *t = m->facts->target;
    if (index == 0 || index >= target_u4(t, m->pool + (uint64_t)t->layout->pool_length))
        return 0;
    return target_u8(t, m->pool + (uint64_t)t->layout->pool_size + (uint64_t)index * 8);
}

bool method_debug_generic(const struct method_debug *m, uint64_t *ret_symbol)
{
    uint32_t index;
    *ret_symbol = 0;
    if (!m->facts->is_known)
        return false;
    if (!(m->flags & m->facts->has_generic))
        return true;
    if (!read_u2(m->facts->target, m->end - LENGTH_BYTES, &index))
        return false;
    *ret_symbol = method_debug_symbol(m, index);
    return *ret_symbol != 0;
}

/* Go in front of a table whose length lies at *at - 2, if the method has one. */
static bool pass(const struct method_debug *m, uint32_t has, uint32_t row_bytes, uint64_t *at)
{
    uint32_t count;
    if (!(m->flags & has))
        return true;
    if (!read_u2(m->facts->target, *at - LENGTH_BYTES, &count))
        return false;
    *at -= LENGTH_BYTES + (uint64_t)count * row_bytes;
    return true;
}

/* Go in front of the tables between the end and the exception handlers. */
static bool pass_to_handlers(const struct method_debug *m, uint64_t *at)
{
    const struct method_debug_facts *f = m->facts;
    *at = m->end - (m->flags & f->has_generic ? LENGTH_BYTES : 0);
    return pass(m, f->has_parameters, PARAMETER_BYTES, at) &&
           pass(m, f->has_checked, CHECKED_BYTES, at);
}

/* The table whose length lies at `at` - 2. */
static int32_t table_at(const struct method_debug *m, uint64_t at, uint32_t row_bytes,
                        uint64_t *ret_rows)
{
    uint32_t count;
    if (!read_u2(m->facts->target, at - LENGTH_BYTES, &count))
        return -EFAULT;
    *ret_rows = at - LENGTH_BYTES - (uint64_t)count * row_bytes;
    return *ret_rows > m->const_method ? (int32_t)count : -EFAULT;
}

int32_t method_debug_variables(const struct method_debug *m, uint64_t *ret_rows)
{
    const struct method_debug_facts *f = m->facts;
    uint64_t at;
    if (!f->is_known)
        return E_FACT_MISSING;
    if (!(m->flags & f->has_variables))
        return -ENOENT;
    if (!pass_to_handlers(m, &at) || !pass(m, f->has_exceptions, EXCEPTION_BYTES, &at))
        return -EFAULT;
    return table_at(m, at, f->row_bytes, ret_rows);
}

int32_t method_debug_handlers(const struct method_debug *m, uint64_t *ret_rows)
{
    const struct method_debug_facts *f = m->facts;
    uint64_t at;
    if (!f->is_known)
        return E_FACT_MISSING;
    if (!(m->flags & f->has_exceptions))
        return 0;
    return pass_to_handlers(m, &at) ? table_at(m, at, EXCEPTION_BYTES, ret_rows) : -EFAULT;
}

bool method_debug_variable(const struct method_debug *m, uint64_t rows, uint32_t index,
                           struct method_debug_variable *ret_variable)
{
    const struct method_debug_facts *f = m->facts;
    const struct target *t = f->target;
    uint64_t row = rows + (uint64_t)index * f->row_bytes;
    struct method_debug_variable v;
    uint32_t name, signature, generic;
    if (!read_u2(t, row + (uint64_t)f->start_bci, &v.start_bci) ||
        !read_u2(t, row + (uint64_t)f->length, &v.length) ||
        !read_u2(t, row + (uint64_t)f->slot, &v.slot) ||
        !read_u2(t, row + (uint64_t)f->name, &name) ||
        !read_u2(t, row + (uint64_t)f->signature, &signature) ||
        !read_u2(t, row + (uint64_t)f->generic, &generic))
        return false;
    v.name = method_debug_symbol(m, name);
    v.signature = method_debug_symbol(m, signature);
    v.generic = method_debug_symbol(m, generic);
    *ret_variable = v;
    return v.name != 0 && v.signature != 0;
}
