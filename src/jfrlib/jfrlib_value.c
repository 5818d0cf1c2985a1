/*
 * jfrlib_value.c - values: hprof_jfr_value_*(); see jfrlib_value.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrlib/jfrlib_value.h"
#include <string.h>
#include "jfrlib/jfrlib_error.h"
#include "jfrlib/jfrlib_types.h"

_Static_assert(sizeof(struct jfrlib_value) <= sizeof(((struct hprof_jfr_value *)0)->private_),
               "the private part has room");

struct jfrlib_value *jfrlib_value_in(const struct hprof_jfr_value *value)
{
    struct jfrlib_value *v = value ? (struct jfrlib_value *)(uintptr_t)value->private_ : NULL;
    return v && v->of && v->serial == v->of->serial ? v : NULL;
}

int jfrlib_value_text(struct hprof_jfr *h, const struct jfr_value *value, bool is_class,
                      const char **ret_text)
{
    const struct jfrlib_text_how how = {.is_class = is_class, .is_shared = value->is_shared};
    size_t len;
    *ret_text = NULL;
    if (value->shape != JFR_TEXT)
        return HPROF_JFR_OK;
    int r = jfrlib_text_get(&h->text, &value->text, how, ret_text, &len);
    if (r < 0)
        *ret_text = NULL;
    return jfrlib_error_code(r, false);
}

static int put_text(struct hprof_jfr *h, const struct jfr_value *value, struct hprof_jfr_value *ret)
{
    const struct jfrlib_text_how how = {.is_shared = value->is_shared};
    const char *text;
    int r = jfrlib_text_get(&h->text, &value->text, how, &text, &ret->count);
    if (r < 0)
        return jfrlib_error_code(r, false);
    ret->kind = HPROF_JFR_STRING;
    ret->string = text;
    return HPROF_JFR_OK;
}

int jfrlib_value_out(struct hprof_jfr *h, const struct jfr_value *value,
                     struct hprof_jfr_value *ret)
{
    struct jfrlib_value *v = (struct jfrlib_value *)ret->private_;
    *ret = (struct hprof_jfr_value){.field = jfrlib_types_field_out(value->field),
                                    .type = jfrlib_types_out(value->type)};
    *v = (struct jfrlib_value){.of = h, .serial = h->serial, .value = *value, .next = value->at};
    if (jfrlib_value_check(h) < 0)
        return HPROF_JFR_LIMIT;
    switch (value->shape) {
    case JFR_NULL:
        break;
    case JFR_NUMBER:
        ret->kind = value->type->kind == JFR_BOOLEAN ? HPROF_JFR_BOOLEAN : HPROF_JFR_INTEGER;
        ret->integer = jfr_value_widened(value);
        break;
    case JFR_REAL:
        ret->kind = HPROF_JFR_DOUBLE;
        ret->real = value->real;
        break;
    case JFR_TEXT:
        return put_text(h, value, ret);
    case JFR_OBJECT:
        ret->kind = HPROF_JFR_STRUCT;
        ret->count = value->type->field_count;
        break;
    case JFR_ARRAY:
        ret->kind = HPROF_JFR_ARRAY;
        ret->count = value->count;
        break;
    }
    return HPROF_JFR_OK;
}

/* The private part of a value of that kind; NULL and *ret_code: it is none. */
static struct jfrlib_value *as(const struct hprof_jfr_value *value, enum hprof_jfr_kind kind,
                               int *ret_code)
{
    struct jfrlib_value *v = jfrlib_value_in(value);
    *ret_code = !value ? HPROF_JFR_ARGUMENT : !v ? HPROF_JFR_STALE : HPROF_JFR_KIND;
    return v && value->kind == kind ? v : NULL;
}

int hprof_jfr_value_named(const struct hprof_jfr_value *object, const char *path,
                          struct hprof_jfr_value *ret_value)
{
    struct jfr_value value;
    int code;
    if (!path || !ret_value)
        return HPROF_JFR_ARGUMENT;
    const struct jfrlib_value *v = as(object, HPROF_JFR_STRUCT, &code);
    struct hprof_jfr *h = v ? v->of : NULL;
    if (v && !jfr_value_named(&h->file.chunk, &v->value, path, &value))
        code = HPROF_JFR_NO_FIELD;
    else if (v)
        return jfrlib_value_out(h, &value, ret_value);
    *ret_value = (struct hprof_jfr_value){0};
    return code;
}

int hprof_jfr_value_field(const struct hprof_jfr_value *object, size_t number,
                          struct hprof_jfr_value *ret_value)
{
    struct jfr_value value;
    int code;
    if (!ret_value)
        return HPROF_JFR_ARGUMENT;
    const struct jfrlib_value *v = as(object, HPROF_JFR_STRUCT, &code);
    struct hprof_jfr *h = v ? v->of : NULL;
    if (v && number < v->value.type->field_count) {
        jfr_value_field(&h->file.chunk, &v->value, (uint32_t)number, &value);
        return jfrlib_value_out(h, &value, ret_value);
    }
    *ret_value = (struct hprof_jfr_value){0};
    return v ? HPROF_JFR_NO_FIELD : code;
}

void jfrlib_value_element(struct jfrlib_value *v, size_t number, struct jfr_value *ret)
{
    if (number < v->number) {
        v->next = v->value.at;
        v->number = 0;
    }
    jfr_type_skip_elements(v->value.field, number - v->number, &v->next);
    jfr_value_element(&v->of->file.chunk, &v->value, &v->next, ret);
    v->number = number + 1;
}

int hprof_jfr_value_element(struct hprof_jfr_value *array, size_t number,
                            struct hprof_jfr_value *ret_value)
{
    struct jfr_value value;
    int code;
    if (!ret_value || array == ret_value)
        return HPROF_JFR_ARGUMENT;
    struct jfrlib_value *v = as(array, HPROF_JFR_ARRAY, &code);
    *ret_value = (struct hprof_jfr_value){0};
    if (!v || number >= v->value.count)
        return v ? HPROF_JFR_NO_VALUE : code;
    jfrlib_value_element(v, number, &value);
    return jfrlib_value_out(v->of, &value, ret_value);
}

bool jfrlib_value_ns(const struct jfr_chunk *c, const struct jfr_value *value, int64_t *ret_ns)
{
    int64_t number = jfr_value_number(value);
    *ret_ns = number;
    if (value->shape != JFR_NUMBER || !value->field || value->field->content == JFR_PLAIN)
        return false;
    if (!jfr_value_ns(c, value, ret_ns)) {
        bool is_other = number == INT64_MIN || number == INT64_MAX; /* none, or for ever */
        *ret_ns = is_other ? number : number < 0 ? INT64_MIN + 1 : INT64_MAX;
    }
    return true;
}

int hprof_jfr_value_ns(const struct hprof_jfr_value *value, int64_t *ret_ns)
{
    int code;
    if (!ret_ns)
        return HPROF_JFR_ARGUMENT;
    const struct jfrlib_value *v = as(value, HPROF_JFR_INTEGER, &code);
    *ret_ns = INT64_MIN;
    if (!v)
        return code;
    if (jfrlib_value_ns(&v->of->file.chunk, &v->value, ret_ns))
        return HPROF_JFR_OK;
    *ret_ns = INT64_MIN;
    return HPROF_JFR_KIND;
}

int hprof_jfr_value_class_name(const struct hprof_jfr_value *value, const char **ret_name)
{
    struct jfr_value name;
    int code;
    if (!ret_name)
        return HPROF_JFR_ARGUMENT;
    *ret_name = NULL;
    if (value && value->kind == HPROF_JFR_NULL && jfrlib_value_in(value))
        return HPROF_JFR_NO_VALUE;
    const struct jfrlib_value *v = as(value, HPROF_JFR_STRUCT, &code);
    if (!v || strcmp(v->value.type->known_as, "java.lang.Class") != 0 ||
        !jfr_value_named(&v->of->file.chunk, &v->value, "name", &name))
        return code;
    code = jfrlib_value_text(v->of, &name, true, ret_name);
    return code < 0 || *ret_name ? code : HPROF_JFR_NO_VALUE;
}
