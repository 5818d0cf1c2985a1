/* jfrchunk.c - see jfrchunk.h. SPDX-License-Identifier: Apache-2.0 */
#include "jfrchunk.h"
#include <string.h>
#include "cmocka_all.h"

static uint64_t big(const unsigned char *p, size_t len)
{
    uint64_t v = 0;
    while (len-- > 0)
        v = v << 8 | *p++;
    return v;
}

size_t jfrchunk_leb(const unsigned char *bytes, size_t at, uint64_t *ret)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++) {
        v |= (uint64_t)(bytes[at] & 0x7f) << (7 * i);
        if (bytes[at++] < 0x80) {
            *ret = v;
            return at;
        }
    }
    *ret = v | (uint64_t)bytes[at] << 56;
    return at + 1;
}

static void read_chain(const unsigned char *bytes, struct jfrchunk *c)
{
    uint64_t at = c->checkpoint, delta = 1;
    while (at != 0 && delta != 0) {
        uint64_t size, type, number, pools;
        size_t p;
        assert_true(at < c->size);
        p = jfrchunk_leb(bytes, at, &size);
        p = jfrchunk_leb(bytes, p, &type);
        assert_int_equal(type, 1);
        p = jfrchunk_leb(bytes, p, &number);
        p = jfrchunk_leb(bytes, p, &number);
        p = jfrchunk_leb(bytes, p, &delta);
        p = jfrchunk_leb(bytes, p + 1, &pools);
        assert_true(pools > 0);
        jfrchunk_leb(bytes, jfrchunk_leb(bytes, p, &number), &number);
        assert_true(number > 0);
        c->checkpoints++;
        at += delta;
    }
}

struct jfrchunk jfrchunk_read(const unsigned char *bytes, size_t len)
{
    struct jfrchunk c = {0};
    size_t at = 68;
    assert_true(len >= at);
    assert_memory_equal(bytes, "FLR\0\0\2\0\1", 8);
    c.size = big(bytes + 8, 8);
    c.checkpoint = big(bytes + 16, 8);
    c.metadata = big(bytes + 24, 8);
    c.start_ns = big(bytes + 32, 8);
    c.duration_ns = big(bytes + 40, 8);
    c.start_ticks = big(bytes + 48, 8);
    assert_int_equal(big(bytes + 56, 8), 1000000000);
    c.flags = (uint32_t)big(bytes + 64, 4);
    assert_true(c.size <= len);
    while (at < c.size) {
        uint64_t size, type;
        jfrchunk_leb(bytes, jfrchunk_leb(bytes, at, &size), &type);
        /* the last filler may reach further: readers end with the chunk */
        assert_true(size > 1 && (size <= c.size - at || type == 1) && type < JFRCHUNK_TYPES);
        c.events[type]++;
        at += size;
    }
    read_chain(bytes, &c);
    assert_int_equal(c.events[0], 1);
    assert_true(c.events[1] >= c.checkpoints); /* fillers are, too, and in no chain */
    return c;
}

bool jfrchunk_has(const unsigned char *bytes, size_t len, const char *text)
{
    return memmem(bytes, len, text, strlen(text)) != NULL;
}
