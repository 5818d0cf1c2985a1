/*
 * fuzz_frame_maps.c - where frames have references, as the memory of a VM says it: oop maps of
 * compiled code, and the bytecodes of an interpreted method.
 *
 * The input is the method: locals, stack, the number of handlers, of bytes of code, the bytecode to
 * ask for; then handlers and code. What is left overwrites the oop maps. An answer must stay within
 * the method's own locals and stack, and within the values that a map may have.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"
#include "../unit/framemade.h"
#include <stdlib.h>
#include <string.h>

enum { HEAD = 6, HANDLERS = 4, MAPS_ROOM = 2048 };

static void ask(struct framemade *f, const struct framemade_method *m, int32_t bci)
{
    for (int is_done = 0; is_done < 2; is_done++) {
        struct interp_mask_shape shape;
        const uint8_t *mask = framemade_mask(f, bci, is_done, &shape);
        if (mask && (shape.locals != m->locals || shape.stack > m->stack))
            abort();
        for (uint32_t i = 0; mask && i < shape.locals + shape.stack; i++) {
            if (mask[i] > 1)
                abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct framemade f;
    static struct oop_maps_value values[OOP_MAPS_VALUES];
    uint16_t handlers[HANDLERS][4] = {{0}};
    if (len < HEAD + sizeof(handlers))
        return 0;
    const uint8_t *code = bytes + HEAD + sizeof(handlers);
    size_t left = len - HEAD - sizeof(handlers), wanted = bytes[3] | (size_t)bytes[4] << 8;
    memcpy(handlers, bytes + HEAD, sizeof(handlers));
    const struct framemade_method m = {.descriptor = "(Ljava/lang/Object;JI)V",
                                       .is_static = true,
                                       .locals = bytes[0],
                                       .stack = bytes[1],
                                       .handlers = (const uint16_t(*)[4])handlers,
                                       .handler_count = bytes[2] % (HANDLERS + 1),
                                       .code = code,
                                       .code_size = (uint32_t)(wanted < left ? wanted : left)};
    framemade_put(&f, &m);
    if (m.code_size > 0)
        ask(&f, &m, bytes[5]);
    left -= m.code_size;
    framemade_write(&f, FRAMEMADE_MAPS, code + m.code_size,
                    left < MAPS_ROOM ? (uint32_t)left : MAPS_ROOM);
    for (uint32_t offset = 0; offset < 64; offset += 8) {
        int32_t count = oop_maps_find(&f.maps, &f.blob, f.blob.code + offset, values);
        if (count < -1 || count > OOP_MAPS_VALUES)
            abort();
    }
    interp_mask_done(&f.masks);
    return 0;
}
