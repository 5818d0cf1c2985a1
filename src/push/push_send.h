/*
 * push_send.h - sends a request until it is taken, refused, or tried for too long.
 *
 * A retry has the same bytes, so a receiver that got a request whose answer was lost can tell it by
 * its identifiers. The waits are those that the receiver asks for, or grow from half a second to
 * half a minute, each by chance between half and all of that.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "push/push_http.h"

struct push_sender {
    const struct push_how *how;
    struct push_setting setting;
    struct push_http *http;
    struct push_result *result;
    uint64_t chance; /* of the waits */
};

/** Errors: as push_http_open(). Owner: push_send_close(), also after an error. */
int push_send_open(struct push_sender *s, const struct push_how *how, struct push_result *result);
void push_send_close(struct push_sender *s);
/**
 * Sends a body, which is packed if that is set. PUSH_AGAIN: it was tried for too long. What the
 * receiver said is told, except of PUSH_TOO_LARGE. `what` names the request in messages.
 */
enum push_verdict push_send(struct push_sender *s, const char *url, const char *what,
                            struct push_body *body, struct push_answer *ret_answer);
