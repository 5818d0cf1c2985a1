/*
 * proto_out.h - writes messages of Protocol Buffers into memory that grows.
 *
 * A message is sticky: when it finds no memory, `error` is set and nothing more is written. A
 * message that contains such a message fails, too. A field whose value is 0 is left out, because
 * readers take a missing field for 0. Source: Protocol Buffers, "Encoding".
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct sink;

struct proto_out {
    unsigned char *bytes;
    size_t len, room;
    int error; /* 0 or -ENOMEM */
};

void proto_out_done(struct proto_out *m);
/** The message is empty again; its memory stays. */
void proto_out_clear(struct proto_out *m);
void proto_out_number(struct proto_out *m, unsigned field, uint64_t value);
void proto_out_fixed64(struct proto_out *m, unsigned field, uint64_t value);
/** Writes the field even if it is empty, because an empty element of a list must be there. */
void proto_out_bytes(struct proto_out *m, unsigned field, const void *bytes, size_t len);
/** Like proto_out_bytes(), for a text of the VM: as UTF-8 without unusual characters
 * (base/utf8.h). */
void proto_out_text(struct proto_out *m, unsigned field, const char *text, size_t len);
void proto_out_message(struct proto_out *m, unsigned field, const struct proto_out *inner);
/** A packed list; an empty list is not written. */
void proto_out_list(struct proto_out *m, unsigned field, const uint64_t *values, size_t count);
/** Gives the message to `s` and empties it. Errors: 0, -ENOMEM. */
int proto_out_put(struct proto_out *m, struct sink *s);
