/*
 * classwrite.c - writes a class file from nothing: see classwrite.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/classwrite.h"
#include <string.h>
#include "classfile/cpool.h"

enum {
    PART_BYTES = 1024,                 /* the first size of each part */
    PART_LIMIT = 65536,                /* the largest size of each part */
    ACC_PUBLIC_FINAL_SUPER = 0x1031,   /* and ACC_SYNTHETIC */
    ACC_PUBLIC_STATIC_NATIVE = 0x1109, /* and ACC_SYNTHETIC */
    CODE_HEAD = 12, /* bytes of a Code attribute's contents without the code itself */
    ANNOTATION_BYTES = 6,
};

uint16_t classwrite_utf8(struct classwrite *w, const char *text)
{
    outbuf_u1(&w->pool, CPOOL_UTF8);
    outbuf_u2(&w->pool, (uint16_t)strlen(text));
    outbuf_bytes(&w->pool, text, strlen(text));
    return w->constants++;
}

uint16_t classwrite_class(struct classwrite *w, const char *name)
{
    uint16_t text = classwrite_utf8(w, name);
    outbuf_u1(&w->pool, CPOOL_CLASS);
    outbuf_u2(&w->pool, text);
    return w->constants++;
}

uint16_t classwrite_long(struct classwrite *w, int64_t v)
{
    uint16_t index = w->constants;
    outbuf_u1(&w->pool, CPOOL_LONG);
    outbuf_u4(&w->pool, (uint32_t)((uint64_t)v >> 32));
    outbuf_u4(&w->pool, (uint32_t)v);
    w->constants = (uint16_t)(index + 2); /* a long takes two indexes */
    return index;
}

static uint16_t add_ref(struct classwrite *w, enum cpool_tag tag, uint16_t klass, const char *name,
                        const char *desc)
{
    uint16_t name_index = classwrite_utf8(w, name), desc_index = classwrite_utf8(w, desc);
    outbuf_u1(&w->pool, CPOOL_NAME_AND_TYPE);
    outbuf_u2(&w->pool, name_index);
    outbuf_u2(&w->pool, desc_index);
    outbuf_u1(&w->pool, (uint8_t)tag);
    outbuf_u2(&w->pool, klass);
    outbuf_u2(&w->pool, w->constants);
    w->constants = (uint16_t)(w->constants + 2);
    return (uint16_t)(w->constants - 1);
}

uint16_t classwrite_method_ref(struct classwrite *w, uint16_t klass, const char *name,
                               const char *desc)
{
    return add_ref(w, CPOOL_METHODREF, klass, name, desc);
}

uint16_t classwrite_field_ref(struct classwrite *w, uint16_t klass, const char *name,
                              const char *desc)
{
    return add_ref(w, CPOOL_FIELDREF, klass, name, desc);
}

void classwrite_begin(struct classwrite *w, struct arena *a, const char *name, uint16_t major)
{
    *w = (struct classwrite){.constants = 1, .major = major};
    outbuf_init(&w->pool, a, PART_BYTES, PART_LIMIT);
    outbuf_init(&w->fields, a, PART_BYTES, PART_LIMIT);
    outbuf_init(&w->methods, a, PART_BYTES, PART_LIMIT);
    outbuf_init(&w->code, a, PART_BYTES, PART_LIMIT);
    w->self = classwrite_class(w, name);
}

/* Writes access, name and descriptor of a field or method. */
static void put_member(struct classwrite *w, struct outbuf *to, uint16_t access, const char *name,
                       const char *desc)
{
    uint16_t name_index = classwrite_utf8(w, name), desc_index = classwrite_utf8(w, desc);
    outbuf_u2(to, access);
    outbuf_u2(to, name_index);
    outbuf_u2(to, desc_index);
}

void classwrite_field(struct classwrite *w, uint16_t access, const char *name, const char *desc)
{
    put_member(w, &w->fields, access, name, desc);
    outbuf_u2(&w->fields, 0); /* count of attributes */
    w->field_count++;
}

void classwrite_native(struct classwrite *w, const char *name, const char *desc)
{
    put_member(w, &w->methods, ACC_PUBLIC_STATIC_NATIVE, name, desc);
    outbuf_u2(&w->methods, 0); /* count of attributes */
    w->method_count++;
}

void classwrite_method(struct classwrite *w, uint16_t access, const char *name, const char *desc,
                       uint16_t max_stack, uint16_t max_locals, const char *annotation)
{
    struct outbuf *m = &w->methods;
    if (w->code_name == 0)
        w->code_name = classwrite_utf8(w, "Code");
    put_member(w, m, access, name, desc);
    outbuf_u2(m, annotation ? 2 : 1); /* count of attributes */
    outbuf_u2(m, w->code_name);
    outbuf_u4(m, (uint32_t)(CODE_HEAD + w->code.len));
    outbuf_u2(m, max_stack);
    outbuf_u2(m, max_locals);
    outbuf_u4(m, (uint32_t)w->code.len);
    outbuf_bytes(m, w->code.bytes, w->code.len);
    outbuf_u2(m, 0); /* count of handlers */
    outbuf_u2(m, 0); /* count of the code's attributes */
    if (annotation) {
        outbuf_u2(m, classwrite_utf8(w, "RuntimeVisibleAnnotations"));
        outbuf_u4(m, ANNOTATION_BYTES);
        outbuf_u2(m, 1);
        outbuf_u2(m, classwrite_utf8(w, annotation));
        outbuf_u2(m, 0); /* count of values */
    }
    outbuf_cut(&w->code, 0);
    w->method_count++;
}

int classwrite_end(struct classwrite *w, const uint8_t **ret_bytes, size_t *ret_len)
{
    uint16_t super = classwrite_class(w, "java/lang/Object");
    struct outbuf out;
    outbuf_init(&out, w->pool.arena, (size_t)4 * PART_BYTES, (size_t)4 * PART_LIMIT);
    outbuf_u4(&out, 0xcafebabe);
    outbuf_u2(&out, 0);
    outbuf_u2(&out, w->major);
    outbuf_u2(&out, w->constants);
    outbuf_bytes(&out, w->pool.bytes, w->pool.len);
    outbuf_u2(&out, ACC_PUBLIC_FINAL_SUPER);
    outbuf_u2(&out, w->self);
    outbuf_u2(&out, super);
    outbuf_u2(&out, 0); /* count of interfaces */
    outbuf_u2(&out, w->field_count);
    outbuf_bytes(&out, w->fields.bytes, w->fields.len);
    outbuf_u2(&out, w->method_count);
    outbuf_bytes(&out, w->methods.bytes, w->methods.len);
    outbuf_u2(&out, 0); /* count of attributes */
    const struct outbuf *parts[] = {&w->pool, &w->fields, &w->methods, &w->code, &out};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (parts[i]->error)
            return parts[i]->error;
    }
    *ret_bytes = out.bytes;
    *ret_len = out.len;
    return 0;
}
