// Between libFuzzer and the table of targets. The environment's FUZZ_TARGET names the target; `list` prints all.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// FuzzTargets/Running.swift
int fuzz_choose(const char *name);
void fuzz_run(const uint8_t *bytes, size_t count);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    const char *name = getenv("FUZZ_TARGET");
    if (name != NULL && fuzz_choose(name)) return 0;
    fprintf(stderr, "fuzz: FUZZ_TARGET names no target\n");
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    fuzz_run(bytes, count);
    return 0;
}
