// parcel_depot.c - couriers wait for parcels at a depot.
//
// kind: condition variable, if instead of while
// expect: assert
// wrong: depot_take() tests `if (depot.parcels == 0)' once; after its wait another courier has taken the parcel already
// where: depot_take
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#define COURIERS 2

struct depot {
    pthread_mutex_t lock;
    pthread_cond_t delivered;
    int shelf[8];
    int parcels;
    int closed;
};

static struct depot depot = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .delivered = PTHREAD_COND_INITIALIZER,
};

static void depot_put(int parcel)
{
    pthread_mutex_lock(&depot.lock);
    depot.shelf[depot.parcels] = parcel;
    depot.parcels++;
    pthread_cond_signal(&depot.delivered);
    pthread_mutex_unlock(&depot.lock);
}

static void depot_close(void)
{
    pthread_mutex_lock(&depot.lock);
    depot.closed = 1;
    pthread_cond_broadcast(&depot.delivered);
    pthread_mutex_unlock(&depot.lock);
}

static int depot_take(void)
{
    pthread_mutex_lock(&depot.lock);
    if (depot.parcels == 0 && !depot.closed)
        pthread_cond_wait(&depot.delivered, &depot.lock);
    if (depot.closed && depot.parcels == 0) {
        pthread_mutex_unlock(&depot.lock);
        return -1;
    }
    assert(depot.parcels > 0);
    depot.parcels--;
    int parcel = depot.shelf[depot.parcels];
    pthread_mutex_unlock(&depot.lock);
    return parcel;
}

static void *courier(void *arg)
{
    int *carried = arg;
    while (depot_take() >= 0)
        ++*carried;
    return NULL;
}

int main(void)
{
    pthread_t threads[COURIERS];
    int carried[COURIERS] = {0};
    for (int i = 0; i < COURIERS; i++)
        pthread_create(&threads[i], NULL, courier, &carried[i]);
    for (int parcel = 1; parcel <= 3; parcel++)
        depot_put(parcel);
    depot_close();
    int sum = 0;
    for (int i = 0; i < COURIERS; i++) {
        pthread_join(threads[i], NULL);
        sum += carried[i];
    }
    printf("%d parcels carried\n", sum);
    return sum == 3 ? 0 : 1;
}
