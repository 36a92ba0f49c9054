/* SPDX-License-Identifier: MIT
 *
 * keys.c - thread-specific data and the destructors of C++ thread_local objects.
 *
 * DESIGN
 *   A key in the model is always a real key too: libc assigns the number, so that numbers never clash, and the limit is
 *   libc's. A thread that is not under control keeps its values in the real key, with the real destructor.  A
 *   controlled task keeps them here, because destructors are user code and must run while the task still has the baton,
 *   which libc cannot know.  Main's values from before the fork point are taken over at its first use of a key under
 *   control.
 *
 *   A slot of the table has a sequence number that changes when the key is created and when it is deleted.  A value
 *   whose number is not the slot's belongs to a deleted key.
 */
#include "runtime/model/keys.h"

#include <limits.h>

REAL_FUNCTION(pthread_key_create);
REAL_FUNCTION(pthread_key_delete);
REAL_FUNCTION(pthread_getspecific);
REAL_FUNCTION(pthread_setspecific);

enum { BLOCK = 32, BLOCKS = PTHREAD_KEYS_MAX / BLOCK };

struct key {
    uint64_t sequence; /* odd: in use */
    void (*destructor)(void *);
};

struct value {
    uint64_t sequence;
    void *data;
};

struct at_exit {
    struct at_exit *next;
    void (*destructor)(void *);
    void *object;
};

struct keys { /* of one task */
    struct value *blocks[BLOCKS];
    struct at_exit *at_exit; /* last registered first */
};

static RT_RARE struct key keys_table[PTHREAD_KEYS_MAX];

static bool key_in_use(pthread_key_t key)
{
    return key < PTHREAD_KEYS_MAX && (keys_table[key].sequence & 1) != 0;
}

int keys_create(pthread_key_t *key, void (*destructor)(void *))
{
    int error = REAL(pthread_key_create)(key, destructor);
    if (error == 0 && *key < PTHREAD_KEYS_MAX) {
        struct key *slot = &keys_table[*key];
        slot->sequence = (slot->sequence | 1) == slot->sequence ? slot->sequence + 2 : slot->sequence + 1;
        slot->destructor = destructor;
    }
    return error;
}

int keys_delete(pthread_key_t key)
{
    /* Ours first: as soon as the real key is deleted, another thread may get the same number. */
    if (key_in_use(key))
        keys_table[key].sequence++;
    return REAL(pthread_key_delete)(key);
}

/* The place of a value; NULL if there is none and it is not to be made. */
static struct value *value_at(struct keys *keys, pthread_key_t key, bool make)
{
    struct value **block = &keys->blocks[key / BLOCK];
    if (*block == NULL) {
        if (!make)
            return NULL;
        *block = rt_alloc(BLOCK * sizeof **block);
    }
    return &(*block)[key % BLOCK];
}

static void take_over_real_values(struct keys *keys)
{
    for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; key++) {
        void *data = key_in_use(key) ? REAL(pthread_getspecific)(key) : NULL;
        if (data == NULL)
            continue;
        *value_at(keys, key, true) = (struct value){keys_table[key].sequence, data};
        REAL(pthread_setspecific)(key, NULL);
    }
}

static struct keys *keys_of(struct task *self)
{
    if (self->keys == NULL) {
        self->keys = rt_alloc(sizeof *self->keys);
        if (self->id == 0)
            take_over_real_values(self->keys);
    }
    return self->keys;
}

void *keys_get(struct task *self, pthread_key_t key)
{
    if (!key_in_use(key)) /* deleted, never made, or made without our hook */
        return REAL(pthread_getspecific)(key);
    const struct value *value = value_at(keys_of(self), key, false);
    return value != NULL && value->sequence == keys_table[key].sequence ? value->data : NULL;
}

int keys_set(struct task *self, pthread_key_t key, uintptr_t word)
{
    void *data = (void *)word;
    if (!key_in_use(key))
        return REAL(pthread_setspecific)(key, data);
    struct value *value = value_at(keys_of(self), key, data != NULL);
    if (value != NULL)
        *value = (struct value){keys_table[key].sequence, data};
    return 0;
}

void keys_at_thread_exit(struct task *self, void (*destructor)(void *), void *object)
{
    struct keys *keys = keys_of(self);
    struct at_exit *entry = rt_alloc(sizeof *entry);
    *entry = (struct at_exit){keys->at_exit, destructor, object};
    keys->at_exit = entry;
}

void keys_run_thread_local(struct task *self)
{
    struct keys *keys = self->keys;
    while (keys != NULL && keys->at_exit != NULL) { /* a destructor may register more */
        struct at_exit entry = *keys->at_exit;
        rt_free(keys->at_exit, sizeof entry);
        keys->at_exit = entry.next;
        entry.destructor(entry.object);
    }
}

/* One round over all values.  True if a destructor was called: it may have set values again. */
static bool run_round(struct keys *keys)
{
    bool called = false;
    for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; key++) {
        struct value *value = value_at(keys, key, false);
        if (value == NULL) {
            key += BLOCK - 1 - key % BLOCK;
            continue;
        }
        void *data = value->data;
        value->data = NULL;
        if (data == NULL || !key_in_use(key) || value->sequence != keys_table[key].sequence ||
            keys_table[key].destructor == NULL)
            continue;
        called = true;
        keys_table[key].destructor(data);
    }
    return called;
}

static void free_values(struct task *self)
{
    struct keys *keys = self->keys;
    self->keys = NULL;
    for (size_t i = 0; i < BLOCKS; i++)
        if (keys->blocks[i] != NULL)
            rt_free(keys->blocks[i], BLOCK * sizeof *keys->blocks[i]);
    rt_free(keys, sizeof *keys);
}

void keys_run_destructors(struct task *self)
{
    if (self->keys == NULL && self->id == 0)
        keys_of(self);
    if (self->keys == NULL)
        return;
    for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++)
        if (!run_round(self->keys))
            break;
    keys_run_thread_local(self); /* what the destructors registered */
    free_values(self);
}

void keys_materialise(struct task *self)
{
    struct keys *keys = self->keys;
    for (pthread_key_t key = 0; keys != NULL && key < PTHREAD_KEYS_MAX; key++) {
        const struct value *value = value_at(keys, key, false);
        if (value != NULL && value->data != NULL && key_in_use(key) && value->sequence == keys_table[key].sequence)
            REAL(pthread_setspecific)(key, value->data);
    }
}
