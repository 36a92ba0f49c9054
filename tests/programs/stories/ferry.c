// ferry.c - cars wait for a place on a ferry; two semaphores count places and cars, a third one guards the deck.
//
// kind: semaphores
// expect: deadlock
// wrong: car_board() takes the guard of the deck first and then waits for a free place; ferry_unload() needs the guard to free one
// where: car_board ferry_unload
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

#define PLACES 1
#define CARS   2

struct deck {
    int cars[PLACES];
    int used;
};

static struct deck deck;
static sem_t guard;
static sem_t free_places;
static sem_t loaded;

static void deck_push(int car)
{
    deck.cars[deck.used] = car;
    deck.used++;
}

static int deck_pop(void)
{
    deck.used--;
    return deck.cars[deck.used];
}

static void car_board(int car)
{
    sem_wait(&guard);
    sem_wait(&free_places);
    deck_push(car);
    sem_post(&loaded);
    sem_post(&guard);
}

static int ferry_unload(void)
{
    sem_wait(&loaded);
    sem_wait(&guard);
    int car = deck_pop();
    sem_post(&guard);
    sem_post(&free_places);
    return car;
}

static void *cars(void *arg)
{
    (void)arg;
    for (int car = 1; car <= CARS; car++)
        car_board(car);
    return NULL;
}

static void *ferry(void *arg)
{
    int *carried = arg;
    for (int trip = 0; trip < CARS; trip++)
        *carried += ferry_unload() > 0;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int carried = 0;
    sem_init(&guard, 0, 1);
    sem_init(&free_places, 0, PLACES);
    sem_init(&loaded, 0, 0);
    pthread_create(&a, NULL, cars, NULL);
    pthread_create(&b, NULL, ferry, &carried);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d cars carried\n", carried);
    return carried == CARS ? 0 : 1;
}
