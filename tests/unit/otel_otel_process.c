/*
 * otel_otel_process.c - the context that a process publishes, read from a memory of our own.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "otel/otel_process.h"
#include "cmocka_all.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"

enum { BASE = 0x10000, HEADER = 32, ROOM = 4096 };

/* The memory of a process, which may change the context while it is read. */
static struct {
    unsigned char bytes[ROOM];
    size_t len;
    int changes; /* reads of the payload before which the context still changes */
} memory;

static int read_memory(void *with, uint64_t addr, void *dst, size_t len)
{
    if (addr < BASE || addr - BASE > memory.len || len > memory.len - (addr - BASE))
        return -1;
    memcpy(dst, memory.bytes + (addr - BASE), len);
    if (addr == BASE + HEADER && memory.changes > 0) {
        memory.changes--;
        memory.bytes[16]++;
    }
    return 0;
}

static void put(const void *bytes, size_t len)
{
    memcpy(memory.bytes + memory.len, bytes, len);
    memory.len += len;
}

static void publish(const char *payload, size_t len)
{
    const struct {
        char signature[8];
        uint32_t version, payload_bytes;
        uint64_t published_ns, payload;
    } header = {{'O', 'T', 'E', 'L', '_', 'C', 'T', 'X'}, 2, (uint32_t)len, 7, BASE + HEADER};
    memset(&memory, 0, sizeof(memory));
    put(&header, sizeof(header));
    put(payload, len);
}

static int read_back(struct otel_process *ret)
{
    return otel_process_at(BASE, read_memory, NULL, ret);
}

/* service.name=shop, n=1 (a number), bad=<escape>; keys: "r", a number, "u". */
#define PAIR(len, key_len, key, value_len, value)                                                  \
    "\x0a" len "\x0a" key_len key "\x12" value_len value
static const char payload[] =
    "\x0a\x2f" PAIR("\x16", "\x0c", "service.name", "\x06", "\x0a\x04shop")
        PAIR("\x07", "\x01", "n", "\x02", "\x18\x01")
            PAIR("\x0c", "\x03", "bad", "\x05",
                 "\x0a\x03"
                 "a\x1b[") "\x12\x31\x0a\x1dthreadlocal.attribute_key_map\x12\x10\x2a\x0e"
                           "\x0a\x03\x0a\x01r"
                           "\x0a\x02\x18\x01"
                           "\x0a\x03\x0a\x01u"
                           "\x18\x00"; /* a field of a later version */
enum { PAYLOAD = sizeof(payload) - 1 };

static void texts_of_the_resource_and_names_of_keys_are_read(void **state)
{
    struct otel_process p;
    publish(payload, PAYLOAD);
    assert_int_equal(read_back(&p), 0);
    assert_int_equal(p.attribute_count, 1);
    assert_int_equal(p.left_out, 2);
    assert_string_equal(otel_process_value(&p, "service.name"), "shop");
    assert_null(otel_process_value(&p, "n"));
    assert_int_equal(p.key_count, 3);
    assert_string_equal(p.keys[0], "r");
    assert_null(p.keys[1]);
    assert_string_equal(p.keys[2], "u");
    assert_int_equal(p.published_ns, 7);
    assert_true(otel_process_is_same(&p, read_memory, NULL));
    memory.bytes[16]++;
    assert_false(otel_process_is_same(&p, read_memory, NULL));
    otel_process_done(&p);
    assert_false(otel_process_is_same(&p, read_memory, NULL));
    assert_null(p.texts);
}

static void a_context_that_changes_is_read_again(void **state)
{
    struct otel_process p;
    publish(payload, PAYLOAD);
    memory.changes = 3;
    assert_int_equal(read_back(&p), 0);
    assert_int_equal(p.published_ns, 10);
    otel_process_done(&p);
    publish(payload, PAYLOAD);
    memory.changes = 1000;
    assert_int_equal(read_back(&p), -EAGAIN);
    publish(payload, PAYLOAD);
    memory.bytes[16] = 0; /* a change is under way */
    assert_int_equal(read_back(&p), -EAGAIN);
}

static void what_is_no_context_is_an_error(void **state)
{
    struct otel_process p;
    publish(payload, PAYLOAD);
    memory.bytes[0] = 'o';
    assert_int_equal(read_back(&p), E_NOT_FOUND);
    publish(payload, PAYLOAD);
    memory.bytes[8] = 3; /* another version */
    assert_int_equal(read_back(&p), E_NOT_FOUND);
    publish(payload, PAYLOAD);
    memory.bytes[14] = 0xff; /* a size of 16 MB */
    assert_int_equal(read_back(&p), E_LIMIT);
    publish(payload, PAYLOAD);
    memory.bytes[12]++; /* a byte more than there is memory */
    assert_int_equal(read_back(&p), -EFAULT);
    publish(payload, PAYLOAD);
    memory.bytes[12] = 10; /* the message ends early */
    assert_int_equal(read_back(&p), E_TRUNCATED);
    publish(payload, PAYLOAD);
    memory.len = HEADER - 1;
    assert_int_equal(read_back(&p), -EFAULT);
}

static void the_mapping_is_found_by_its_name(void **state)
{
    static const struct {
        const char *line;
        bool is_it;
    } rows[] = {
        {"7f10-7f20 rw-p 00000000 00:00 0                          [anon:OTEL_CTX]\n", true},
        {"7f10-7f20 rw-p 00000000 00:01 99   [anon_shmem:OTEL_CTX]\n", true},
        {"7f10-7f20 rw-p 00000000 00:01 99   /memfd:OTEL_CTX (deleted)\n", true},
        {"7f10-7f20 rw-p 00000000 00:01 99   /srv/memfd:OTEL_CTX\n", false},
        {"7f10-7f20 rw-p 00000000 00:00 0 \n", false},
        {"7f10-7f20 rw-p\n", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t addr = 0;
        assert_int_equal(otel_process_is_mapping(rows[i].line, &addr), rows[i].is_it);
        assert_true(!rows[i].is_it || addr == 0x7f10);
    }
}

static void the_first_good_mapping_of_a_list_counts(void **state)
{
    char maps[] = "10-20 r--p 0 00:00 0 [anon:OTEL_CTX]\n"
                  "30-40 r--p 0 00:00 0 [heap]\n"
                  "10000-20000 r--p 0 00:00 0 [anon:OTEL_CTX]\n";
    struct otel_process p;
    FILE *file = fmemopen(maps, sizeof(maps) - 1, "r");
    assert_non_null(file);
    publish(payload, PAYLOAD);
    assert_int_equal(otel_process_find(file, read_memory, NULL, &p), 0);
    assert_string_equal(otel_process_value(&p, "service.name"), "shop");
    otel_process_done(&p);
    fclose(file);
    file = fmemopen(maps, 36, "r");
    assert_non_null(file);
    assert_int_equal(otel_process_find(file, read_memory, NULL, &p), -EFAULT);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_the_resource_and_names_of_keys_are_read),
        cmocka_unit_test(a_context_that_changes_is_read_again),
        cmocka_unit_test(what_is_no_context_is_an_error),
        cmocka_unit_test(the_mapping_is_found_by_its_name),
        cmocka_unit_test(the_first_good_mapping_of_a_list_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
