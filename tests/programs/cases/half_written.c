// half_written.c - 16 bytes are read in the middle of a write.
// clang-format off
// expect: assert
// says: T2 read total.* at half_written.c:20 in the middle of T1's write at :13|T2 read total.* at half_written.c:20 .*T1
// rows: 13 20 21

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
static __int128 total;
static void *writer(void *u)
{
    for (int i = 1; i <= 3; i++)
        total = ((__int128)i << 64) | i;
    return u;
}
static void *reader(void *u)
{
    for (int i = 0; i < 2; i++) {
        __int128 t = total;
        assert((uint64_t)t == (uint64_t)(t >> 64));
    }
    return u;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
