// SPDX-License-Identifier: MIT
// atomic_widths.c - atomic arithmetic on all widths, and atomic_flag.
//
// expect: none
#include "correct.h"

#include <stdatomic.h>
#include <stdbool.h>

static _Atomic uint8_t a8;
static _Atomic uint16_t a16;
static _Atomic uint32_t a32;
static _Atomic uint64_t a64;
static _Atomic(char *) pointer;
static atomic_bool truth;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static char buffer[16];

static void *work(void *unused)
{
    (void)unused;
    atomic_fetch_add(&a8, 100);
    atomic_fetch_sub(&a16, 1);
    atomic_fetch_or(&a32, 0x0f);
    atomic_fetch_xor(&a64, UINT64_MAX);
    atomic_fetch_add(&pointer, 2);
    bool expected = false;
    if (atomic_compare_exchange_strong(&truth, &expected, true))
        CHECK(!expected);
    if (!atomic_flag_test_and_set(&flag))
        atomic_flag_clear(&flag);
    return NULL;
}

int main(void)
{
    atomic_init(&pointer, buffer);
    pthread_t a = start(work, NULL), b = start(work, NULL);
    join(a);
    join(b);
    CHECK(a8 == 200 && a16 == 65534 && a32 == 0x0f && a64 == 0 && pointer == buffer + 4 && truth);
    return 0;
}
