/*
 * jfr_jvm.c - see jfr_jvm.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_jvm.h"
#include <string.h>
#include "jfr/jfr_chunk.h"
#include "jfr/jfr_value.h"

/* Shortens "app/com.example.Main -x y" to "com.example.Main": the first word, without module and
 * folders. */
static void name_program(char *program)
{
    program[strcspn(program, " ")] = '\0';
    const char *last = strrchr(program, '/');
    if (last)
        memmove(program, last + 1, strlen(last + 1) + 1);
}

bool jfr_jvm_take(const struct jfr_chunk *c, const struct jfr_type *type,
                  const struct jfr_record *record, struct jfr_jvm *ret_jvm)
{
    struct jfr_value pid, start, words;
    if (strcmp(type->known_as, "jdk.JVMInformation") != 0)
        return false;
    const struct jfr_value event = jfr_value_event(type, record);
    *ret_jvm = (struct jfr_jvm){0};
    if (!jfr_value_named(c, &event, "pid", &pid) ||
        !jfr_value_named(c, &event, "jvmStartTime", &start) || jfr_value_number(&pid) <= 0 ||
        jfr_value_number(&pid) > UINT32_MAX)
        return false;
    ret_jvm->pid = (uint32_t)jfr_value_number(&pid);
    ret_jvm->start_ms = jfr_value_number(&start);
    if (jfr_value_named(c, &event, "javaArguments", &words))
        jfr_value_utf8(&words, ret_jvm->program, sizeof(ret_jvm->program));
    name_program(ret_jvm->program);
    return true;
}

bool jfr_jvm_read(const struct jfr_chunk *c, struct jfr_jvm *ret_jvm)
{
    struct jfr_record record;
    for (size_t at = JFR_LAYOUT_HEADER; jfr_chunk_record(c->bytes, c->len, at, &record) > 0;
         at += record.size) {
        const struct jfr_type *type = jfr_chunk_type(c, record.type_id);
        if (type && jfr_jvm_take(c, type, &record, ret_jvm))
            return true;
    }
    return false;
}

bool jfr_jvm_is(const struct jfr_jvm *a, const struct jfr_jvm *b)
{
    return a->pid == b->pid && a->start_ms == b->start_ms;
}
