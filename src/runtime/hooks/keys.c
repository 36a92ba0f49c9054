/* SPDX-License-Identifier: MIT
 *
 * keys.c - pthread_key_*, C11 tss_*, and the registration of C++ thread_local destructors.
 *
 * None of these is a scheduling point: a value is the task's own, and only the task with the baton accesses the table of
 * keys. They do not check the guard either, because a key made by the model has its values in the model for every
 * caller.
 */
#include "runtime/model/keys.h"

#include <threads.h>

int __pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *dso);

REAL_FUNCTION(pthread_getspecific);
REAL_FUNCTION(pthread_setspecific);
REAL_FUNCTION(__cxa_thread_atexit_impl);

RT_HOOK int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    return keys_create(key, destructor);
}

RT_HOOK int __pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    return keys_create(key, destructor);
}

RT_HOOK int pthread_key_delete(pthread_key_t key)
{
    return keys_delete(key);
}

RT_HOOK void *pthread_getspecific(pthread_key_t key)
{
    struct task *self = rt_self;
    return self != NULL ? keys_get(self, key) : REAL(pthread_getspecific)(key);
}

RT_HOOK int pthread_setspecific(pthread_key_t key, const void *value)
{
    struct task *self = rt_self;
    return self != NULL ? keys_set(self, key, (uintptr_t)value) : REAL(pthread_setspecific)(key, value);
}

RT_HOOK int tss_create(tss_t *key, tss_dtor_t destructor)
{
    pthread_key_t made;
    if (keys_create(&made, destructor) != 0)
        return thrd_error;
    *key = made;
    return thrd_success;
}

RT_HOOK void tss_delete(tss_t key)
{
    keys_delete(key);
}

RT_HOOK void *tss_get(tss_t key)
{
    return pthread_getspecific(key);
}

RT_HOOK int tss_set(tss_t key, void *value)
{
    return pthread_setspecific(key, value) == 0 ? thrd_success : thrd_error;
}

/* libc would also keep the shared object from being unloaded until then.  A program that unloads one which still has
   live thread_local objects of controlled tasks is not supported. */
RT_HOOK int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *dso)
{
    struct task *self = rt_self;
    if (self == NULL)
        return REAL(__cxa_thread_atexit_impl)(destructor, object, dso);
    keys_at_thread_exit(self, destructor, object);
    return 0;
}
