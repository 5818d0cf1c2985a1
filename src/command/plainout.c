/*
 * plainout.c - see plainout.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/plainout.h"
#include <string.h>
#include <unistd.h>
#include "base/plain.h"

static void put(struct plainout *p, const char *text, size_t len)
{
    while (len > 0) {
        size_t odd, n = plain_run(text, len, &odd);
        sink_bytes(&p->to, text, n);
        text += n;
        len -= n;
        if (odd && plain_is_cut(text, len)) {
            memcpy(p->cut, text, len);
            p->cut_len = len;
            return;
        }
        if (odd)
            sink_u1(&p->to, *text == '\n' || *text == '\t' ? (uint8_t)*text : '?');
        text += odd;
        len -= odd;
    }
}

static int take(void *to, const unsigned char *bytes, size_t len)
{
    struct plainout *p = to;
    const char *text = (const char *)bytes;
    if (!p->is_text) {
        sink_bytes(&p->to, bytes, len);
        sink_flush(&p->to);
        return sink_error(&p->to);
    }
    while (p->cut_len > 0 && len > 0) {
        char whole[sizeof(p->cut)];
        size_t n = p->cut_len;
        p->cut[n++] = *text++;
        len--;
        p->cut_len = n;
        if (!plain_is_cut(p->cut, n)) {
            memcpy(whole, p->cut, n);
            p->cut_len = 0;
            put(p, whole, n);
        }
    }
    put(p, text, len);
    sink_flush(&p->to);
    return sink_error(&p->to);
}

int plainout_open(struct plainout *p, bool is_data)
{
    *p = (struct plainout){.is_text = !is_data || isatty(STDOUT_FILENO)};
    int error = sink_init(&p->to, STDOUT_FILENO);

    return error == 0 ? sink_init_taker(&p->sink, take, p) : error;
}

int plainout_done(struct plainout *p)
{
    int error = sink_done(&p->sink);
    if (p->cut_len > 0)
        sink_u1(&p->to, '?');
    int done = sink_done(&p->to);
    return error < 0 ? error : done;
}
