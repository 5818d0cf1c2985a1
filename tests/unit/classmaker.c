/*
 * classmaker.c - small class files with one method: see classmaker.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classmaker.h"
#include <string.h>

static uint8_t *put(uint8_t *to, unsigned len, uint32_t v)
{
    for (unsigned i = 0; i < len; i++)
        to[i] = (uint8_t)(v >> (8 * (len - 1 - i)));
    return to + len;
}

static uint8_t *put_part(uint8_t *to, struct classmaker_part p)
{
    if (p.len > 0)
        memcpy(to, p.bytes, p.len);
    return to + p.len;
}

static uint8_t *put_utf8(uint8_t *to, const char *text)
{
    to = put(put(to, 1, 1), 2, (uint32_t)strlen(text));
    return put_part(to, (struct classmaker_part){text, strlen(text)});
}

static uint8_t *put_class(uint8_t *to, const char *name, uint32_t name_index)
{
    return put(put(put_utf8(to, name), 1, 7), 2, name_index);
}

static uint8_t *put_pool(uint8_t *to, const struct classmaker *m)
{
    static const char *const names[] = {"StackMapTable", "LineNumberTable", "LocalVariableTable",
                                        "RuntimeVisibleTypeAnnotations",
                                        "RuntimeVisibleAnnotations"};
    to = put(to, 2, CLASSMAKER_NEXT + m->more_consts);
    to = put_class(to, m->this_name ? m->this_name : "T", CLASSMAKER_THIS - 1);
    to = put_class(to, m->super_name ? m->super_name : "java/lang/Object", CLASSMAKER_SUPER - 1);
    to = put_utf8(to, "Code");
    to = put_utf8(to, m->name ? m->name : "m");
    to = put_utf8(to, m->desc ? m->desc : "()V");
    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        to = put_utf8(to, names[i]);
    to = put_utf8(to, m->note ? m->note : "LNote;");
    for (uint32_t i = 0; i < m->more_consts; i++)
        to = put(put(to, 1, 3), 4, i);
    return to;
}

static uint8_t *put_code(uint8_t *to, const struct classmaker *m)
{
    to = put(to, 2, CLASSMAKER_CODE);
    to = put(to, 4, (uint32_t)(12 + m->code.len + m->handlers.len + m->attributes.len));
    to = put(put(to, 2, m->max_stack), 2, m->max_locals);
    to = put_part(put(to, 4, (uint32_t)m->code.len), m->code);
    to = put_part(put(to, 2, (uint32_t)(m->handlers.len / 8)), m->handlers);
    return put_part(put(to, 2, m->attribute_count), m->attributes);
}

size_t classmaker_build(const struct classmaker *m, uint8_t *to)
{
    uint8_t *begin = to;
    to = put(put(put(to, 4, 0xCAFEBABE), 2, m->minor), 2, m->major);
    to = put_pool(to, m);
    to = put(put(to, 2, 0x21), 2, CLASSMAKER_THIS);
    to = put(to, 2, m->super_name && !*m->super_name ? 0 : CLASSMAKER_SUPER);
    to = put(put(put(to, 2, 0), 2, 0), 2, 1); /* interfaces, fields, methods */
    to = put(put(put(to, 2, m->access), 2, CLASSMAKER_NAME), 2, CLASSMAKER_DESC);
    to = put(to, 2, (m->code.len > 0) + (m->has_note != 0));
    if (m->code.len > 0)
        to = put_code(to, m);
    if (m->has_note)
        to = put(put(put(put(put(to, 2, CLASSMAKER_NOTES), 4, 6), 2, 1), 2, CLASSMAKER_NOTE), 2, 0);
    to = put(to, 2, 0); /* attributes of the class */
    return (size_t)(to - begin);
}
