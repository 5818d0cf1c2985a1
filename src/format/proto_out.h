/*
 * proto_out.h - messages of Protocol Buffers, written into memory that grows.
 *
 * Sticky: after memory has run out nothing more is written and `error` says so, in messages that
 * hold such a one, too. A field that is 0 is left out: its readers take it for 0.
 * Source: Protocol Buffers, "Encoding". SPDX-License-Identifier: Apache-2.0
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
/** Written even if it is empty, as elements of lists must be. */
void proto_out_bytes(struct proto_out *m, unsigned field, const void *bytes, size_t len);
/** The same for a text of the VM: as UTF-8, with nothing odd in it (base/utf8.h). */
void proto_out_text(struct proto_out *m, unsigned field, const char *text, size_t len);
void proto_out_message(struct proto_out *m, unsigned field, const struct proto_out *inner);
/** A packed list; nothing where it is empty. */
void proto_out_list(struct proto_out *m, unsigned field, const uint64_t *values, size_t count);
/** Hands the message to `s` and empties it. Errors: 0, -ENOMEM. */
int proto_out_put(struct proto_out *m, struct sink *s);
