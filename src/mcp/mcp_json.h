/*
 * mcp_json.h - the few things that this folder does with json-c.
 *
 * In json-c the value null is the pointer NULL, and the text of a number is not told from a text:
 * these functions look at the type. A value that could not be made is null, too.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

/** Values nested deeper than this are not read. */
enum { MCP_JSON_DEPTH = 256 };

/** The value of a text of `len` bytes, which holds nothing else. Returns whether it is one. Owner:
 * the caller, by json_object_put(). */
bool mcp_json_read(const char *text, size_t len, struct json_object **ret);
/** The member of an object; NULL: there is none, it is null, or `object` is none. */
struct json_object *mcp_json_get(const struct json_object *object, const char *key);
/** The text of a member that is a text; NULL: it is none. */
const char *mcp_json_text(const struct json_object *object, const char *key);
bool mcp_json_is(const struct json_object *value, enum json_type type);
/** Adds members; `mcp_json_add` takes the value over. */
void mcp_json_add(struct json_object *object, const char *key, struct json_object *value);
void mcp_json_add_text(struct json_object *object, const char *key, const char *text);
void mcp_json_add_bool(struct json_object *object, const char *key, bool value);
void mcp_json_add_number(struct json_object *object, const char *key, int64_t value);
/** The text of a value, which owns it. NULL: no memory. */
const char *mcp_json_write(struct json_object *value);
