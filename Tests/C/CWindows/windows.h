// Finds pieces of many byte strings in others. In C, because the tests, which are not optimised, look at billions of places.
#ifndef KEYTOOL_CWINDOWS_H
#define KEYTOOL_CWINDOWS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// Any 16 bytes of a string contain 8 that begin at a multiple of 8: those are in a hash table, with their places.
typedef struct keytool_windows {
    uint8_t *bytes;
    size_t count, capacity;
    uint64_t *keys;
    uint32_t *places;
    size_t used;
    int bits;
} keytool_windows;

static inline size_t keytool_windows_slot(const keytool_windows *windows, uint64_t key) {
    size_t mask = ((size_t)1 << windows->bits) - 1, slot = (key * 0x9e3779b97f4a7c15u) >> (64 - windows->bits);
    while (windows->keys[slot] != 0 && windows->keys[slot] != key) slot = (slot + 1) & mask;
    return slot;
}

/// Makes a table with as many bits.
static inline void keytool_windows_resize(keytool_windows *windows, int bits) {
    keytool_windows old = *windows;
    windows->bits = bits;
    windows->keys = calloc((size_t)1 << bits, sizeof *windows->keys);
    windows->places = calloc((size_t)1 << bits, sizeof *windows->places);
    if (!windows->keys || !windows->places) abort();
    for (size_t slot = 0; old.keys && slot < (size_t)1 << old.bits; slot++) {
        if (old.keys[slot] == 0) continue;
        size_t place = keytool_windows_slot(windows, old.keys[slot]);
        windows->keys[place] = old.keys[slot];
        windows->places[place] = old.places[slot];
    }
    free(old.keys);
    free(old.places);
}

static inline keytool_windows *keytool_windows_new(void) {
    keytool_windows *windows = calloc(1, sizeof *windows);
    if (!windows) abort();
    keytool_windows_resize(windows, 16);
    return windows;
}

static inline void keytool_windows_free(keytool_windows *windows) {
    free(windows->bytes);
    free(windows->keys);
    free(windows->places);
    free(windows);
}

/// Adds a string of 16 bytes or more.
static inline void keytool_windows_add(keytool_windows *windows, const uint8_t *bytes, size_t count) {
    if (windows->capacity - windows->count < count) {
        windows->capacity = (windows->capacity + count) * 2;
        windows->bytes = realloc(windows->bytes, windows->capacity);
        if (!windows->bytes) abort();
    }
    memcpy(windows->bytes + windows->count, bytes, count);
    for (size_t index = 0; index + 8 <= count; index += 8) {
        uint64_t key;
        memcpy(&key, bytes + index, 8);
        if (key == 0) continue;
        if (windows->used * 2 > (size_t)1 << windows->bits) keytool_windows_resize(windows, windows->bits + 1);
        size_t slot = keytool_windows_slot(windows, key);
        windows->used += windows->keys[slot] == 0;
        windows->keys[slot] = key;
        windows->places[slot] = (uint32_t)(windows->count + index);
    }
    windows->count += count;
}

/// Where the first piece of 16 bytes is; `count` if there is none.
static inline size_t keytool_windows_find(const keytool_windows *windows, const uint8_t *bytes, size_t count) {
    for (size_t index = 0; index + 8 <= count; index++) {
        uint64_t key;
        memcpy(&key, bytes + index, 8);
        if (key == 0) continue;
        size_t slot = keytool_windows_slot(windows, key);
        if (windows->keys[slot] == 0) continue;
        size_t place = windows->places[slot], before = 0, length = 8;
        while (before < index && before < place && bytes[index - before - 1] == windows->bytes[place - before - 1])
            before++;
        while (index + length < count && place + length < windows->count
               && bytes[index + length] == windows->bytes[place + length])
            length++;
        if (before + length >= 16) return index - before;
    }
    return count;
}

#endif
