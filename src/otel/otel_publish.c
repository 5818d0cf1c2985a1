/*
 * otel_publish.c - see otel_publish.h.
 *
 * The mapping is a page: the header, and behind it the payload.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "otel/otel_publish.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"
#include "format/otlp.h"
#include "format/proto_out.h"
#include "otel/otel_header.h"
#include "safe/clock.h"

/* Older headers lack these names. */
enum { SET_VMA = 0x53564d41, SET_VMA_ANON_NAME = 0, NOEXEC_SEAL = 8 };

/* ---- the payload */

/* An attribute beside the resource. */
static void put_attribute(struct proto_out *payload, const char *key, const struct proto_out *value)
{
    struct proto_out pair = {0};
    proto_out_bytes(&pair, OTLP_KEY, key, strlen(key));
    proto_out_message(&pair, OTLP_VALUE, value);
    proto_out_message(payload, OTEL_HEADER_ATTRIBUTES, &pair);
    proto_out_done(&pair);
}

static void put_text(struct proto_out *value, const char *text)
{
    proto_out_clear(value);
    proto_out_bytes(value, OTLP_ANY_STRING, text, strlen(text));
}

static void put_payload(struct proto_out *payload, const char *const *names, uint32_t count)
{
    struct proto_out value = {0}, list = {0};
    proto_out_bytes(payload, OTEL_HEADER_RESOURCE, "", 0);
    put_text(&value, OTEL_HEADER_SCHEMA);
    put_attribute(payload, OTEL_HEADER_SCHEMA_KEY, &value);
    for (uint32_t i = 0; i < count; i++) {
        put_text(&value, names[i]);
        proto_out_message(&list, OTEL_HEADER_ARRAY_VALUES, &value);
    }
    proto_out_clear(&value);
    proto_out_message(&value, OTEL_HEADER_ANY_ARRAY, &list);
    put_attribute(payload, OTEL_HEADER_NAMES_KEY, &value);
    proto_out_done(&value);
    proto_out_done(&list);
}

/* ---- the mapping */

static int make_file(void)
{
    int fd = memfd_create(OTEL_HEADER_SIGNATURE, MFD_CLOEXEC | MFD_ALLOW_SEALING | NOEXEC_SEAL);
    return fd >= 0 ? fd : memfd_create(OTEL_HEADER_SIGNATURE, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

/* The name in /proc/PID/maps. Kernels before 5.17 cannot give it; the name of the file is there. */
static int name_mapping(const struct otel_publish *p)
{
    return prctl(SET_VMA, SET_VMA_ANON_NAME, p->mapping, p->bytes, OTEL_HEADER_SIGNATURE) == 0
               ? 0
               : -errno;
}

static int map_page(struct otel_publish *p, int fd)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE;
    void *at = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (at == MAP_FAILED)
        return -errno;
    p->mapping = at;
    /* a child of the process is another process, which this context does not describe */
    return madvise(at, p->bytes, MADV_DONTFORK) == 0 ? 0 : -errno;
}

static int make_mapping(struct otel_publish *p)
{
    p->bytes = (size_t)sysconf(_SC_PAGESIZE);
    int fd = make_file();
    int error = fd >= 0 && ftruncate(fd, (off_t)p->bytes) != 0 ? -errno : map_page(p, fd);
    p->has_file = fd >= 0;
    if (fd >= 0)
        close(fd);
    if (error < 0)
        otel_publish_done(p);
    return error;
}

/* Errors: 0; -errno: nobody can find the mapping. */
static int write_page(const struct otel_publish *p, const struct proto_out *payload)
{
    struct otel_header *h = p->mapping;
    struct timespec now;
    uint64_t before = h->published_ns, ns;
    clock_gettime(CLOCK_BOOTTIME, &now);
    ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
    __atomic_store_n(&h->published_ns, 0, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    memcpy(h->signature, OTEL_HEADER_SIGNATURE, sizeof(h->signature));
    h->version = OTEL_HEADER_VERSION;
    h->payload = (uint64_t)(uintptr_t)(h + 1);
    h->payload_bytes = (uint32_t)payload->len;
    memcpy(h + 1, payload->bytes, payload->len);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&h->published_ns, ns > before ? ns : before + 1, __ATOMIC_SEQ_CST);
    int error = name_mapping(p);
    return p->has_file ? 0 : error;
}

int otel_publish_set(struct otel_publish *p, const char *const *names, uint32_t count)
{
    struct proto_out payload = {0};
    put_payload(&payload, names, count);
    int error = payload.error;
    if (error == 0 && !p->mapping)
        error = make_mapping(p);
    if (error == 0 && payload.len > p->bytes - sizeof(struct otel_header))
        error = E_LIMIT;
    if (error == 0 && p->mapping)
        error = write_page(p, &payload);
    proto_out_done(&payload);
    if (error < 0)
        otel_publish_done(p);
    return error;
}

void otel_publish_done(struct otel_publish *p)
{
    if (p->mapping)
        munmap(p->mapping, p->bytes);
    *p = (struct otel_publish){0};
}
