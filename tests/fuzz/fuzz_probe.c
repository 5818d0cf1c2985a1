/*
 * fuzz_probe.c - the probes of an ELF file with the descriptors of their arguments, and the same
 * bytes as a record of the kernel's, whose arguments are decoded.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"
#include <elf.h>
#include <string.h>
#include "elf/stapsdt.h"
#include "probe/probe_hit.h"
#include "probe/probe_ring.h"

enum { SITES = 1000 };

static const char args[] = "8@%rdx 8@-48(%rbp) -4@%eax 8@(%rsp,%rbx,8) 1@$0 8@16(%rdi)";

static void decode(const struct probe_hit_form *form, const struct probe_ring_hit *hit)
{
    uint64_t raw[3];
    probe_hit_raw(form, form->count, hit, NULL, raw, 3);
    for (unsigned i = 0; i < form->count; i++) {
        struct probe_hit_value value;
        probe_hit_value(form, i, hit, NULL, &value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const uint64_t masks[] = {0, 0xff, UINT64_MAX};
    struct probe_ring_hit hit = {0};
    struct stapsdt_site site;
    struct stapsdt_at at = {0};
    struct probe_hit_form form;
    struct elf_file file;
    for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
        for (unsigned has = 0; has < 8; has++) {
            const struct probe_ring_shape shape = {.registers = masks[i],
                                                   .has_stack = has & 1,
                                                   .is_output = has & 2,
                                                   .has_site = has & 4};
            if (probe_ring_parse(bytes, len, &shape, &hit) != 0)
                continue;
            const struct probe_hit_source of = {"p", "n", args, NULL, EM_X86_64};
            probe_hit_form(&of, &form);
            decode(&form, &hit);
        }
    if (elf_file_of_bytes(bytes, len, &file) < 0)
        return 0;
    for (int sites = 0; sites < SITES && stapsdt_next(&file, &at, &site) == 1; sites++) {
        if (site.offset >= len || strlen(site.provider) + strlen(site.name) == 0)
            __builtin_trap();
        struct probe_hit_source of = {site.provider, site.name, site.args, NULL, EM_X86_64};
        probe_hit_form(&of, &form);
        decode(&form, &hit);
        of.machine = EM_AARCH64;
        probe_hit_form(&of, &form);
    }
    return 0;
}
