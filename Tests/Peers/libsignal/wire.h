// Hexadecimal bytes, and the wrapping of a first message: a version byte, then a protocol buffer with preKeyId (1),
// baseKey (2), identityKey (3), message (4) and registrationId (5).

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes { uint8_t *data; size_t count; };

struct wrapped { uint32_t prekey_id; uint8_t base[33], identity[33]; struct bytes message; };

static void say_bytes(const uint8_t *bytes, size_t count) {
    for (size_t index = 0; index < count; index++) printf("%02x", bytes[index]);
}

static struct bytes hex(const char *text) {
    struct bytes bytes = {malloc(strlen(text) / 2 + 1), strlen(text) / 2};
    for (size_t index = 0; index < bytes.count; index++) {
        unsigned int byte;
        if (sscanf(text + 2 * index, "%2x", &byte) != 1) exit(2);
        bytes.data[index] = (uint8_t)byte;
    }
    return bytes;
}

static void add_number(struct bytes *to, uint64_t number) {
    do {
        to->data[to->count++] = (uint8_t)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
        number >>= 7;
    } while (number);
}

static void add_field(struct bytes *to, int field, const uint8_t *bytes, size_t count) {
    add_number(to, (uint64_t)field << 3 | 2);
    add_number(to, count);
    memcpy(to->data + to->count, bytes, count);
    to->count += count;
}

static struct bytes wrap(const uint8_t *message, size_t count, uint32_t prekey_id, const uint8_t base[33],
                         const uint8_t identity[33]) {
    struct bytes to = {malloc(count + 128), 0};
    to.data[to.count++] = message[0];
    add_number(&to, 1 << 3);
    add_number(&to, prekey_id);
    add_field(&to, 2, base, 33);
    add_field(&to, 3, identity, 33);
    add_field(&to, 4, message, count);
    add_number(&to, 5 << 3);
    add_number(&to, 1);
    return to;
}

static int take_number(struct bytes *from, uint64_t *number) {
    *number = 0;
    for (int shift = 0; shift < 64 && from->count; shift += 7) {
        uint8_t byte = *from->data++;
        from->count--;
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return 1;
    }
    return 0;
}

static int unwrap(const uint8_t *bytes, size_t count, struct wrapped *to) {
    struct bytes from = {(uint8_t *)bytes + 1, count - 1};
    int found = 0;
    while (count && from.count) {
        uint64_t tag, value;
        if (!take_number(&from, &tag) || !take_number(&from, &value)) return 0;
        if ((tag & 7) == 0) {
            if (tag >> 3 == 1) { to->prekey_id = (uint32_t)value; found |= 1; }
            continue;
        }
        if ((tag & 7) != 2 || value > from.count) return 0;
        struct bytes piece = {from.data, value};
        from.data += value;
        from.count -= value;
        if (tag >> 3 == 4) { to->message = piece; found |= 8; }
        if ((tag >> 3 == 2 || tag >> 3 == 3) && value != 33) return 0;
        if (tag >> 3 == 2) { memcpy(to->base, piece.data, 33); found |= 2; }
        if (tag >> 3 == 3) { memcpy(to->identity, piece.data, 33); found |= 4; }
    }
    return found == 15;
}
