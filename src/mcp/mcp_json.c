/*
 * mcp_json.c - see mcp_json.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mcp/mcp_json.h"
#include <limits.h>
#include <string.h>

bool mcp_json_read(const char *text, size_t len, struct json_object **ret)
{
    struct json_tokener *t = json_tokener_new_ex(MCP_JSON_DEPTH);
    *ret = NULL;
    if (!t || len > INT_MAX) {
        json_tokener_free(t);
        return false;
    }
    json_tokener_set_flags(t, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    struct json_object *value = json_tokener_parse_ex(t, text, (int)len);
    bool is_read = json_tokener_get_error(t) == json_tokener_success;
    size_t end = is_read ? json_tokener_get_parse_end(t) : 0;
    while (is_read && end < len && strchr(" \t\r\n", text[end]) && text[end] != '\0')
        end++;
    json_tokener_free(t);
    is_read = is_read && end == len;
    if (is_read)
        *ret = value;
    else
        json_object_put(value);
    return is_read;
}

struct json_object *mcp_json_get(const struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    if (!mcp_json_is(object, json_type_object))
        return NULL;
    json_object_object_get_ex(object, key, &value);
    return value;
}

const char *mcp_json_text(const struct json_object *object, const char *key)
{
    struct json_object *value = mcp_json_get(object, key);
    return mcp_json_is(value, json_type_string) ? json_object_get_string(value) : NULL;
}

bool mcp_json_is(const struct json_object *value, enum json_type type)
{
    return value && json_object_is_type(value, type);
}

void mcp_json_add(struct json_object *object, const char *key, struct json_object *value)
{
    if (object && json_object_object_add(object, key, value) == 0)
        return;
    json_object_put(value);
}

void mcp_json_add_text(struct json_object *object, const char *key, const char *text)
{
    mcp_json_add(object, key, json_object_new_string(text));
}

void mcp_json_add_bool(struct json_object *object, const char *key, bool value)
{
    mcp_json_add(object, key, json_object_new_boolean(value));
}

void mcp_json_add_number(struct json_object *object, const char *key, int64_t value)
{
    mcp_json_add(object, key, json_object_new_int64(value));
}

const char *mcp_json_write(struct json_object *value)
{
    return json_object_to_json_string_ext(value,
                                          JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}
