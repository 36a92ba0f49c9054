/* SPDX-License-Identifier: MIT */
/* registry.h - a list of entries that belong to the caller, and a call for each of them. */
#ifndef REGISTRY_H
#define REGISTRY_H
#include <stdbool.h>
#include <stddef.h>
struct registry;
struct registry_entry {
    struct registry_entry *next;
    struct registry *owner; /* NULL: in no registry */
    int number;
};
struct registry *registry_new(void);
void registry_free(struct registry *registry);
bool registry_add(struct registry *registry, struct registry_entry *entry);
bool registry_remove(struct registry *registry, struct registry_entry *entry);
size_t registry_each(struct registry *registry, void (*visit)(int number, void *data), void *data);
size_t registry_count(struct registry *registry);
#endif
