/* SPDX-License-Identifier: MIT
 *
 * ir.c - see ir.h.
 */
#include "analyze/ir.h"

#include <assert.h>
#include <string.h>

#include "util/hash.h"

void ir_open(struct ir_program *program)
{
    *program = (struct ir_program){.main = IR_NONE};
    ir_text_add(program, "");
    program->outside_node = ir_node(program);
    struct ir_object outside = {.kind = OBJECT_OUTSIDE, .type = IR_NONE, .size = IR_UNKNOWN, .function = IR_NONE};
    outside.name = ir_text_add(program, "memory of libraries");
    program->outside = ir_object_add(program, &outside);
    ir_constrain(program, CONSTRAINT_ADDRESS, program->outside_node, program->outside, 0, 0);
}

void ir_free(struct ir_program *program)
{
    vector_free(&program->text);
    table_free(&program->text_index);
    vector_free(&program->types);
    vector_free(&program->members);
    vector_free(&program->objects);
    vector_free(&program->constraints);
    vector_free(&program->places);
    vector_free(&program->ops);
    vector_free(&program->calls);
    vector_free(&program->args);
    vector_free(&program->blocks);
    vector_free(&program->nexts);
    vector_free(&program->functions);
    vector_free(&program->assembler);
}

uint32_t ir_text_add(struct ir_program *program, const char *text)
{
    uint64_t hash = hash_string(text);
    for (;; hash++) { /* texts with equal hashes are rare, and get the next number */
        uint64_t *known = table_get(&program->text_index, hash);
        if (known == NULL)
            break;
        if (strcmp(program->text.data + *known, text) == 0)
            return (uint32_t)*known;
    }
    uint32_t number = (uint32_t)program->text.count;
    vector_append(&program->text, text, strlen(text) + 1);
    *table_put(&program->text_index, hash) = number;
    return number;
}

uint32_t ir_object_add(struct ir_program *program, const struct ir_object *object)
{
    vector_push(&program->objects, *object);
    return (uint32_t)program->objects.count - 1;
}

void ir_constrain(struct ir_program *program, enum ir_constraint_kind kind, uint32_t to, uint32_t from, uint64_t a,
                  uint64_t b)
{
    assert(to < program->nodes);
    assert(kind == CONSTRAINT_ADDRESS ? from < program->objects.count : from < program->nodes);
    struct ir_constraint constraint = {.kind = (uint8_t)kind, .to = to, .from = from, .a = a, .b = b};
    vector_push(&program->constraints, constraint);
}

uint32_t ir_place_add(struct ir_program *program, const struct ir_place *place)
{
    size_t count = program->places.count;
    if (count > 0 && memcmp(&program->places.data[count - 1], place, sizeof *place) == 0)
        return (uint32_t)count - 1;
    vector_push(&program->places, *place);
    return (uint32_t)count;
}
