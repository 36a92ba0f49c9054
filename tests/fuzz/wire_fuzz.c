/* SPDX-License-Identifier: MIT
 *
 * wire_fuzz.c - whatever the program under test left in the shared memory, the checked copy is in range.
 *
 * The input is a list of patches: 1 byte which table, 2 bytes offset in units of 4, 4 bytes value.  So the fuzzer reaches
 * every field of a structure of hundreds of megabytes with a few bytes.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "wire/wire_check.h"

static struct wire *wire;

static void check(const struct wire_copy *copy)
{
    const struct wire_result *result = &copy->result;
    assert(result->finding_count <= WIRE_FINDINGS && result->failure <= result->finding_count);
    assert(result->end < WIRE_END_COUNT && result->task_count <= WIRE_TASKS && result->blocked_count <= WIRE_BLOCKED);
    assert(result->uncontrolled_count <= WIRE_UNCONTROLLED && result->diverged_task < WIRE_TASKS);
    assert(strlen(result->text) < sizeof result->text);
    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct wire_finding *finding = &result->findings[i];
        assert(finding->kind > KIND_NONE && finding->kind < WIRE_KIND_COUNT && finding->stack_depth <= WIRE_STACK);
        assert(finding->here.task < WIRE_TASKS && finding->here.op < WIRE_OP_COUNT);
        assert(finding->other.task < WIRE_TASKS && finding->other.op < WIRE_OP_COUNT);
        assert(finding->text[0] != '\0' && strlen(finding->text) < sizeof finding->text);
    }
    for (uint32_t i = 0; i < result->blocked_count; i++)
        assert(result->blocked[i].task < WIRE_TASKS && result->blocked[i].op < WIRE_OP_COUNT);
    for (uint32_t i = 0; i < result->uncontrolled_count; i++)
        assert(strlen(result->uncontrolled[i].name) < sizeof result->uncontrolled[i].name);
    for (uint32_t i = 0; i < result->task_count; i++)
        assert(result->tasks[i].parent < WIRE_TASKS && result->tasks[i].stack_lo <= result->tasks[i].stack_hi);
    for (size_t i = 0; i < copy->steps.count; i++)
        assert(copy->steps.data[i].task < WIRE_TASKS &&
               (copy->steps.data[i].type == STEP_RUN || copy->steps.data[i].type == STEP_CHOICE));
    for (size_t i = 0; i < copy->events.count; i++)
        assert(copy->events.data[i].task < WIRE_TASKS && copy->events.data[i].op < WIRE_OP_COUNT);
}

static void apply(const uint8_t *data, size_t size)
{
    for (; size >= 7; data += 7, size -= 7) {
        char *const tables[] = {
            (char *)&wire->head,          (char *)&wire->result,      (char *)wire->result.findings,
            (char *)wire->result.blocked, (char *)wire->result.tasks, (char *)wire->steps,
            (char *)wire->events,         (char *)wire->modules,      (char *)wire->result.uncontrolled};
        uint16_t at;
        uint32_t value;
        memcpy(&at, data + 1, sizeof at);
        memcpy(&value, data + 3, sizeof value);
        char *place = tables[data[0] % (sizeof tables / sizeof tables[0])] + 4 * (size_t)at;
        memcpy(place, &value, sizeof value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct wire_copy copy;
    static struct wire_modules modules;
    if (wire == NULL)
        wire = mmap(NULL, sizeof *wire, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert(wire != MAP_FAILED);
    wire_prepare(wire, 0);
    wire_clear_result(wire);
    memset(wire->steps, 0, 4096);
    memset(wire->events, 0, 4096);
    wire->steps[0] = (struct wire_step){.type = STEP_RUN};
    apply(data, size);
    /* Tables of the largest possible size cost only time. */
    if (wire->result.step_count <= WIRE_STEPS && wire->result.step_count > 300)
        wire->result.step_count %= 300;
    if (wire->result.event_count <= WIRE_EVENTS && wire->result.event_count > 300)
        wire->result.event_count %= 300;
    wire_check_result(wire, COPY_STEPS | COPY_EVENTS, &copy);
    check(&copy);
    wire_check_modules(wire, &modules);
    assert(modules.count <= WIRE_MODULES);
    for (uint32_t i = 0; i < modules.count; i++)
        assert(strlen(modules.entries[i].path) < WIRE_PATH && modules.entries[i].lo <= modules.entries[i].hi);
    return 0;
}
