/* SPDX-License-Identifier: MIT */
/* box.h - all kinds of parameters: structures by value, enums, buffers, callbacks. */
#ifndef BOX_H
#define BOX_H
#include <stddef.h>
typedef struct {
    int x, y;
} point;
enum mode { MODE_A, MODE_B };
typedef struct box *box_t;
box_t box_open(enum mode mode, point start);
void box_close(box_t box);
void box_move(box_t box, point by);
point box_where(box_t box);
size_t box_read(box_t box, char *buffer, size_t size);
int box_write(box_t box, const void *data, size_t length);
double box_scale(box_t box, double factor);
int box_apply(box_t box, int (*function)(void *data, point p), void *data);
#endif
