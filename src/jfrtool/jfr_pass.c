/*
 * jfr_pass.c - see jfr_pass.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_pass.h"
#include "base/err.h"
#include "jfrtool/jfr_input.h"
#include "jfrtool/jfr_order.h"
#include "jfrtool/jfr_printer.h"

static int pass_chunk(const struct jfr_pass *pass, struct jfr_order *order, struct jfr_file *file)
{
    const struct jfr_chunk *c = &file->chunk;
    struct jfr_record record;
    jfr_printer_chunk(pass->out, c);
    if (pass->begin)
        pass->begin(pass->context, c);
    int code = jfr_order_chunk(order, file, &pass->filter);
    for (size_t i = 0; i < order->count && code == 0; i++) {
        jfr_chunk_record(c->bytes, c->len, (size_t)(order->rows[i].bytes - c->bytes), &record);
        code = pass->event(pass->context, jfr_chunk_type(c, record.type_id), &record);
    }
    if (code == 0 && pass->end)
        pass->end(pass->context);
    return code;
}

int jfr_pass_run(const struct jfr_pass *pass)
{
    struct jfr_order order = {0};
    struct jfr_input in;
    int code = jfr_input_open(&in, pass->path, true);
    if (code < 0)
        return code;
    while ((code = jfr_file_next_chunk(&in.file)) > 0)
        if ((code = pass_chunk(pass, &order, &in.file)) < 0)
            break;
    jfr_order_done(&order);
    /* E_SYNTAX comes from a condition, and was reported. */
    if (code < 0 && code != E_SYNTAX)
        jfr_input_say(&in, code);
    else if (pass->is_quiet)
        in.file.damage_count = 0;
    return jfr_input_close(&in) || code < 0 ? code : E_TRUNCATED;
}
