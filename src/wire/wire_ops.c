/* SPDX-License-Identifier: MIT
 *
 * wire_ops.c - see wire_ops.h.  Part of the driver and of the runtime.
 */
#include "wire/wire_ops.h"

enum {
#define X(name, strong) STRONG_##name = strong,
    OP_EFFECTS(X)
#undef X
};

_Static_assert(WIRE_OP_COUNT <= 128, "wire_goal_step.ops has a bit for each operation");

const struct op_facts op_facts[WIRE_OP_COUNT] = {
#define X(name, text, class, object, effect, try, spin)                                                                \
    {CLASS_##class, ABOUT_##object, EFFECT_##effect, SPIN_##spin, try, STRONG_##effect},
    WIRE_OPS(X)
#undef X
};
