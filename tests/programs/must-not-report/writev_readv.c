// SPDX-License-Identifier: MIT
// writev_readv.c - gathered writes of two threads through one pipe: small ones are atomic, the reader sees whole records.
//
// expect: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/uio.h>
#include <unistd.h>

static int ends[2];

static void *write_records(void *name)
{
    char tail[] = ":data;";
    struct iovec parts[2] = {{.iov_base = name, .iov_len = 1}, {.iov_base = tail, .iov_len = 6}};
    for (int i = 0; i < 2; i++)
        assert(writev(ends[1], parts, 2) == 7);
    return NULL;
}

int main(void)
{
    static char a[] = "a", b[] = "b";
    pthread_t one, two;
    int count[2] = {0, 0};
    assert(pipe(ends) == 0);
    pthread_create(&one, NULL, write_records, a);
    pthread_create(&two, NULL, write_records, b);
    for (int i = 0; i < 4; i++) {
        char name, rest[6];
        struct iovec parts[2] = {{.iov_base = &name, .iov_len = 1}, {.iov_base = rest, .iov_len = 6}};
        assert(readv(ends[0], parts, 2) == 7);
        assert((name == 'a' || name == 'b') && rest[0] == ':' && rest[5] == ';');
        count[name - 'a']++;
    }
    assert(count[0] == 2 && count[1] == 2);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
