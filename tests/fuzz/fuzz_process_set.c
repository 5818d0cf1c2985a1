/*
 * fuzz_process_set.c - processes of a profile: who has the number of one before it.
 *
 * Three bytes are a process: its number, its start, its name. What the set says is compared with a
 * count of all before. SPDX-License-Identifier: Apache-2.0
 */
#include "profile/process_set.h"
#include <stdlib.h>
#include "base/arena.h"
#include "fuzz.h"

enum { COMPARED = 300 };

static void check(const struct process_set *s, process_id id)
{
    uint32_t before = 0;
    for (process_id other = 1; other < id; other++)
        before += process_set_at(s, other)->pid == process_set_at(s, id)->pid;
    if (process_set_before(s, id) != before)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const struct lookup_key key = {1, 2};
    struct process_set s;
    struct arena arena;
    arena_init(&arena, 4096 + len * 512);
    process_set_init(&s, &arena, &key);
    for (size_t i = 0; i + 3 <= len; i += 3) {
        const struct process_set_row row = {
            .pid = bytes[i] % 8, .start_ms = bytes[i + 1] % 16, .name = 1 + bytes[i + 2] % 8u};
        process_id id = row.pid == 0 && bytes[i + 1] & 1 ? process_set_named(&s, row.name)
                                                         : process_set_of(&s, &row);
        if (id > process_set_count(&s) || (id != 0 && process_set_at(&s, id)->pid != row.pid))
            abort();
        if (id != 0 && row.pid != 0 && process_set_of(&s, &row) != id)
            abort();
    }
    for (process_id id = 1; id <= process_set_count(&s) && id < COMPARED; id++)
        check(&s, id);
    arena_done(&arena);
    return 0;
}
