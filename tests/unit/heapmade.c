/*
 * heapmade.c - writes small heap dumps.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapmade.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "heap/graph.h"

enum { SEGMENT = 1 << 20 };

static void put(FILE *to, uint64_t v, unsigned bytes)
{
    while (bytes-- > 0)
        putc((int)(v >> bytes * 8 & 0xff), to);
}

static void put_id(const struct heapmade *m, FILE *to, uint64_t id)
{
    put(to, id, m->id_bytes);
}

static void head(const struct heapmade *m, int tag, uint64_t bytes)
{
    put(m->to, (uint64_t)tag, 1);
    put(m->to, 0, 4);
    put(m->to, bytes, 4);
}

uint64_t heapmade_name(struct heapmade *m, const char *text)
{
    uint64_t id = m->next_name++;
    head(m, 0x01, m->id_bytes + strlen(text));
    put_id(m, m->to, id);
    fputs(text, m->to);
    return id;
}

static void load(struct heapmade *m, uint64_t id, uint32_t serial, const char *name)
{
    uint64_t name_id = heapmade_name(m, name);
    head(m, 0x02, 8 + 2 * m->id_bytes);
    put(m->to, serial, 4);
    put_id(m, m->to, id);
    put(m->to, 0, 4);
    put_id(m, m->to, name_id);
}

static void open_body(struct heapmade *m)
{
    m->memory = open_memstream(&m->body, &m->body_bytes);
    if (!m->memory)
        abort();
}

void heapmade_begin(struct heapmade *m, FILE *to, unsigned id_bytes, const char *version)
{
    *m = (struct heapmade){.to = to, .id_bytes = id_bytes, .next_name = 0x100};
    m->has_segments =
        strlen(version) > strlen("JAVA PROFILE 1.0") && strcmp(version, "JAVA PROFILE 1.0.1") != 0;
    fwrite(version, 1, strlen(version) + 1, to);
    put(to, id_bytes, 4);
    put(to, UINT64_C(1700000000000), 8);
    load(m, HEAPMADE_OBJECT, 1, "java/lang/Object");
    load(m, HEAPMADE_CLASS, 2, "java/lang/Class");
    load(m, HEAPMADE_STRING, 3, "java/lang/String");
    load(m, HEAPMADE_REFERENCE, 4, "java/lang/ref/Reference");
    load(m, HEAPMADE_NODE, 5, "a/Node");
    load(m, HEAPMADE_NODES, 6, "[La/Node;");
    load(m, HEAPMADE_THREAD, 7, "java/lang/Thread");
    load(m, HEAPMADE_LARGE, 8, "a/Large");
    open_body(m);
}

void heapmade_cut(struct heapmade *m)
{
    fclose(m->memory);
    if (m->body_bytes > 0) {
        head(m, m->has_segments ? 0x1c : 0x0c, m->body_bytes);
        fwrite(m->body, 1, m->body_bytes, m->to);
        m->records++;
    }
    free(m->body);
    open_body(m);
}

static void object(struct heapmade *m, int tag, uint64_t id)
{
    if (m->has_segments && ftell(m->memory) > SEGMENT)
        heapmade_cut(m);
    put(m->memory, (uint64_t)tag, 1);
    put_id(m, m->memory, id);
}

/* A class without fields; `fields` texts of names, each with its type in front: "2left". */
static void klass(struct heapmade *m, uint64_t id, uint64_t super, const char *const *fields,
                  const uint64_t *names)
{
    unsigned count = 0;
    while (fields && fields[count])
        count++;
    object(m, 0x20, id);
    put(m->memory, 0, 4);
    put_id(m, m->memory, super);
    for (int i = 0; i < 5; i++)
        put_id(m, m->memory, 0);
    put(m->memory, 0, 4 + 2 + 2); /* size, constants, statics */
    put(m->memory, count, 2);
    for (unsigned i = 0; i < count; i++) {
        put_id(m, m->memory, names[i]);
        put(m->memory, (uint64_t)strtol(fields[i], NULL, 16), 1);
    }
}

void heapmade_classes(struct heapmade *m, bool are_roots)
{
    static const char *const string[] = {"2", "8", NULL}, *const reference[] = {"2", NULL},
                             *const node[] = {"2", "2", "a", NULL}, *const large[] = {"b", NULL};
    const uint64_t string_names[] = {heapmade_name(m, "value"), heapmade_name(m, "coder")};
    const uint64_t reference_names[] = {heapmade_name(m, "referent")};
    const uint64_t node_names[] = {heapmade_name(m, "left"), heapmade_name(m, "right"),
                                   heapmade_name(m, "number")};
    const uint64_t large_names[] = {heapmade_name(m, "much")};
    klass(m, HEAPMADE_OBJECT, 0, NULL, NULL);
    klass(m, HEAPMADE_CLASS, HEAPMADE_OBJECT, NULL, NULL);
    klass(m, HEAPMADE_STRING, HEAPMADE_OBJECT, string, string_names);
    klass(m, HEAPMADE_REFERENCE, HEAPMADE_OBJECT, reference, reference_names);
    klass(m, HEAPMADE_NODE, HEAPMADE_OBJECT, node, node_names);
    klass(m, HEAPMADE_NODES, HEAPMADE_OBJECT, NULL, NULL);
    klass(m, HEAPMADE_THREAD, HEAPMADE_OBJECT, NULL, NULL);
    klass(m, HEAPMADE_LARGE, HEAPMADE_NODE, large, large_names);
    for (uint64_t id = HEAPMADE_OBJECT; are_roots && id <= HEAPMADE_LARGE; id += 0x100)
        heapmade_root(m, 0x05, id);
}

static void instance(struct heapmade *m, uint64_t id, uint64_t of, unsigned bytes)
{
    object(m, 0x21, id);
    put(m->memory, 0, 4);
    put_id(m, m->memory, of);
    put(m->memory, bytes, 4);
}

void heapmade_node(struct heapmade *m, uint64_t id, uint64_t left, uint64_t right)
{
    instance(m, id, HEAPMADE_NODE, 2 * m->id_bytes + 4);
    put_id(m, m->memory, left);
    put_id(m, m->memory, right);
    put(m->memory, id, 4);
}

void heapmade_reference(struct heapmade *m, uint64_t id, uint64_t referent)
{
    instance(m, id, HEAPMADE_REFERENCE, m->id_bytes);
    put_id(m, m->memory, referent);
}

void heapmade_thread(struct heapmade *m, uint64_t id, uint32_t serial)
{
    instance(m, id, HEAPMADE_THREAD, 0);
    object(m, 0x08, id);
    put(m->memory, serial, 4);
    put(m->memory, 0, 4);
}

static void array(struct heapmade *m, int tag, uint64_t id, uint32_t count)
{
    object(m, tag, id);
    put(m->memory, 0, 4);
    put(m->memory, count, 4);
}

void heapmade_array(struct heapmade *m, uint64_t id, const uint64_t *to, uint32_t count)
{
    array(m, 0x22, id, count);
    put_id(m, m->memory, HEAPMADE_NODES);
    for (uint32_t i = 0; i < count; i++)
        put_id(m, m->memory, to[i]);
}

void heapmade_bytes(struct heapmade *m, uint64_t id, const void *bytes, uint32_t count)
{
    array(m, 0x23, id, count);
    put(m->memory, 8, 1);
    fwrite(bytes, 1, count, m->memory);
}

void heapmade_string(struct heapmade *m, uint64_t id, uint64_t value)
{
    instance(m, id, HEAPMADE_STRING, m->id_bytes + 1);
    put_id(m, m->memory, value);
    put(m->memory, 0, 1);
}

void heapmade_root(struct heapmade *m, int tag, uint64_t id)
{
    object(m, tag, id);
}

void heapmade_root_of(struct heapmade *m, int tag, uint64_t id, uint32_t thread, uint32_t frame)
{
    object(m, tag, id);
    put(m->memory, thread, 4);
    put(m->memory, frame, 4);
}

void heapmade_local(struct heapmade *m, uint64_t id, uint32_t thread, uint32_t frame)
{
    heapmade_root_of(m, 0x03, id, thread, frame);
}

void heapmade_left_out(struct heapmade *m, uint64_t id, uint32_t count)
{
    array(m, 0xc3, id, count);
    put(m->memory, 8, 1);
}

void heapmade_heap_info(struct heapmade *m, uint32_t heap, uint64_t name)
{
    put(m->memory, 0xfe, 1);
    put(m->memory, heap, 4);
    put_id(m, m->memory, name);
}

void heapmade_hole(struct heapmade *m, uint64_t id, uint32_t count)
{
    uint64_t bytes = 1 + m->id_bytes + 4 + 4 + 1 + (uint64_t)count * 8;
    heapmade_cut(m);
    head(m, m->has_segments ? 0x1c : 0x0c, bytes & UINT32_MAX);
    put(m->to, 0x23, 1);
    put_id(m, m->to, id);
    put(m->to, 0, 4);
    put(m->to, count, 4);
    put(m->to, 0xb, 1);
    fseeko(m->to, (off_t)count * 8, SEEK_CUR);
}

void heapmade_end(struct heapmade *m)
{
    heapmade_cut(m);
    if (m->has_segments)
        head(m, 0x2c, 0);
    fclose(m->memory);
    free(m->body);
}

void heapmade_again(struct heapmade *m)
{
    open_body(m);
}

FILE *heapmade_file(char ret_path[HEAPMADE_PATH])
{
    int fd = memfd_create("heapmade", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file)
        abort();
    snprintf(ret_path, HEAPMADE_PATH, "/proc/self/fd/%d", fd);
    return file;
}

void heapmade_open(struct heapmade *m)
{
    char path[HEAPMADE_PATH];
    heapmade_begin(m, heapmade_file(path), 8, "JAVA PROFILE 1.0.2");
    memcpy(m->path, path, sizeof(path));
    heapmade_classes(m, true);
}

struct graph *heapmade_graph(struct heapmade *m)
{
    static const struct graph_options options = {.memory_bytes = 256 << 20, .skips_index = true};
    struct graph *g = NULL;
    char why[GRAPH_WHY] = "";
    heapmade_end(m);
    if (fflush(m->to) != 0 || graph_open(m->path, &options, &g, why) < 0 ||
        graph_dominate(g, why) < 0) {
        fprintf(stderr, "%s: %s\n", m->path, why);
        abort();
    }
    fclose(m->to);
    return g;
}
