/* SPDX-License-Identifier: MIT
 *
 * print.c - a tale for the terminal.
 */
#include "tale/tale_private.h"

void tale_print(const struct tale *tale, FILE *out, int columns, bool full)
{
    (void)columns;
    for (size_t i = 0; i < tale->events.count; i++) {
        const struct tale_event *event = &tale->events.data[i];
        struct buffer text = {0};
        if (!full && !(event->marks & TALE_MATTERS))
            continue;
        tale_add_text(event, &text);
        fprintf(out, "   T%u %s %s\n", event->thread, event->place >= 0 ? tale->places.data[event->place].where : "?",
                buffer_text(&text));
        buffer_free(&text);
    }
}
