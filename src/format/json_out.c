/*
 * json_out.c - see json_out.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/json_out.h"
#include "base/sink.h"
#include "base/utf8.h"
#include "profile/profile.h"

void json_out_text(struct sink *s, const char *text, size_t len)
{
    unsigned char bytes[UTF8_BYTES];
    size_t n;
    sink_u1(s, '"');
    for (size_t taken; len > 0; text += taken, len -= taken) {
        taken = utf8_next(text, len, bytes, &n);
        if (*bytes == '"' || *bytes == '\\')
            sink_u1(s, '\\');
        if (*bytes == '<')
            sink_text(s, "\\u003c");
        else
            sink_bytes(s, bytes, n);
    }
    sink_u1(s, '"');
}

void json_out_string(struct sink *s, struct profile *p, string_id id)
{
    const struct profile_string *text = id ? profile_string_at(p, id) : NULL;
    json_out_text(s, text ? text->bytes : "", text ? text->len : 0);
}
