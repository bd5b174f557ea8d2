#include "journal.h"

#include <stdlib.h>
#include <string.h>

enum { maxPageLength = 65536, overhead = 8, digestLength = journalSealedLength - journalHeaderLength };
static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};

/// A header and what follows it.
struct segment {
    sqlite3_int64 start, next;
    unsigned int count, nonce, pages, sectorLength, pageLength;
    sqlite3_uint64 digest;
};

/// As far as the file goes; behind its end are zeros.
static int read_padded(sqlite3_file *file, unsigned char *bytes, int count, sqlite3_int64 offset) {
    int result = file->pMethods->xRead(file, bytes, count, offset);
    return result == SQLITE_IOERR_SHORT_READ ? SQLITE_OK : result;
}

static int is_power_of_two(unsigned int number, unsigned int least) {
    return number >= least && number <= maxPageLength && (number & (number - 1)) == 0;
}

static sqlite3_uint64 digest(sqlite3_uint64 digest, const unsigned char *bytes, int count) {
    for (int index = 0; index < count; index++) digest = (digest ^ bytes[index]) * 0x100000001b3u;
    return digest;
}

/// - Parameter header: `journalHeaderLength` bytes.
static int parse_header(struct segment *segment, const unsigned char *header) {
    segment->count = big_endian(header + 8);
    segment->nonce = big_endian(header + 12);
    segment->pages = big_endian(header + 16);
    segment->sectorLength = big_endian(header + 20);
    segment->pageLength = big_endian(header + 24);
    segment->digest = digest(0xcbf29ce484222325u, header + 8, journalHeaderLength - 8);
    int isWhole = memcmp(header, magic, sizeof magic) == 0 && is_power_of_two(segment->pageLength, 512)
        && is_power_of_two(segment->sectorLength, 64);
    return isWhole ? SQLITE_OK : SQLITE_CORRUPT;
}

/// - Parameter header: is filled, `journalSealedLength` bytes.
/// - Returns: SQLITE_DONE if there is no synced header.
static int read_header(
    struct segment *segment, unsigned char *header, sqlite3_file *file, sqlite3_int64 length) {
    static const unsigned char zeros[journalSyncedLength];
    int result = read_padded(file, header, journalSealedLength, segment->start);
    if (result != SQLITE_OK) return result;
    if (memcmp(header, zeros, journalSyncedLength) == 0) return SQLITE_DONE;
    if ((result = parse_header(segment, header)) != SQLITE_OK) return result;
    sqlite3_int64 end = segment->start + segment->sectorLength
        + (sqlite3_int64)segment->count * (segment->pageLength + overhead);
    // SQLite writes a whole sector.
    if (end > length) return SQLITE_CORRUPT;
    segment->next = (end + segment->sectorLength - 1) / segment->sectorLength * segment->sectorLength;
    if (end == segment->next) return SQLITE_OK;
    // There are as many records as the header says, and not more.
    unsigned char padding[4];
    result = read_padded(file, padding, sizeof padding, end);
    return result == SQLITE_OK && big_endian(padding) != 0 ? SQLITE_CORRUPT : result;
}

/// Reads the records of a segment, and adds them to its digest.
static int read_records(struct journal *journal, struct segment *segment, sqlite3_file *file) {
    struct record *records = realloc(journal->records, (journal->count + segment->count + 1) * sizeof *records);
    if (!records) return SQLITE_NOMEM;
    journal->records = records;
    int pageLength = (int)segment->pageLength, result = SQLITE_OK;
    unsigned char *bytes = malloc((size_t)pageLength + overhead);
    if (!bytes) return SQLITE_NOMEM;
    sqlite3_int64 offset = segment->start + segment->sectorLength;
    for (unsigned int index = 0; result == SQLITE_OK && index < segment->count; index++) {
        result = file->pMethods->xRead(file, bytes, pageLength + overhead, offset);
        if (result != SQLITE_OK) break;
        segment->digest = digest(segment->digest, bytes, pageLength + overhead);
        unsigned int page = big_endian(bytes), sum = segment->nonce;
        for (int at = pageLength - 200; at > 0; at -= 200) sum += bytes[4 + at];
        if (page == 0 || page > segment->pages || sum != big_endian(bytes + 4 + pageLength)) result = SQLITE_CORRUPT;
        records[journal->count++] = (struct record){page, offset + 4};
        offset += pageLength + overhead;
    }
    free(bytes);
    return result == SQLITE_IOERR_SHORT_READ ? SQLITE_CORRUPT : result;
}

static int compare(const void *one, const void *other) {
    unsigned int left = ((const struct record *)one)->page, right = ((const struct record *)other)->page;
    return left < right ? -1 : left > right;
}

/// Compares the length of the database and of a page with those in the first page, and sorts the records.
static int check(struct journal *journal, unsigned int pages, sqlite3_file *file, sqlite3_file *database) {
    // A database without pages has none to restore, and any change of another one changes a page.
    if ((pages == 0) != (journal->count == 0)) return SQLITE_CORRUPT;
    if (pages == 0) return SQLITE_OK;
    qsort(journal->records, journal->count, sizeof *journal->records, compare);
    for (size_t index = 1; index < journal->count; index++)
        if (journal->records[index - 1].page == journal->records[index].page) return SQLITE_CORRUPT;
    const struct record *first = keytool_journal_find(journal, 1);
    unsigned char header[32];
    int result = first ? read_padded(file, header, sizeof header, first->offset)
                       : read_padded(database, header, sizeof header, 0);
    if (result != SQLITE_OK) return result;
    int pageLength = header[16] << 8 | header[17];
    if (pageLength == 1) pageLength = maxPageLength;
    return pageLength == journal->pageLength && big_endian(header + 28) == pages ? SQLITE_OK : SQLITE_CORRUPT;
}

static void encode_digest(const struct segment *segment, unsigned char *bytes) {
    for (int index = 0; index < digestLength; index++)
        bytes[index] = (unsigned char)(segment->digest >> (8 * (digestLength - 1 - index)));
}

int keytool_journal_seal(unsigned char *header, sqlite3_file *file, sqlite3_int64 start) {
    struct journal journal = {.length = -1};
    struct segment segment = {.start = start};
    int result = parse_header(&segment, header);
    if (result == SQLITE_OK) result = read_records(&journal, &segment, file);
    keytool_journal_release(&journal);
    if (result == SQLITE_OK) encode_digest(&segment, header + journalHeaderLength);
    return result;
}

/// Reads the records of a segment, and compares its digest if it has one.
static int read_segment(
    struct journal *journal, struct segment *segment, const unsigned char *header, sqlite3_file *file) {
    static const unsigned char none[digestLength];
    unsigned char expected[digestLength];
    int result = read_records(journal, segment, file);
    encode_digest(segment, expected);
    const unsigned char *found = header + journalHeaderLength;
    if (result != SQLITE_OK || memcmp(found, none, digestLength) == 0) return result;
    return memcmp(found, expected, digestLength) == 0 ? SQLITE_OK : SQLITE_CORRUPT;
}

int keytool_journal_read(struct journal *journal, sqlite3_file *file, sqlite3_file *database) {
    unsigned char header[journalSealedLength];
    *journal = (struct journal){.length = -1};
    sqlite3_int64 length;
    int result = file->pMethods->xFileSize(file, &length);
    struct segment first = {0}, segment = {0};
    while (result == SQLITE_OK && (result = read_header(&segment, header, file, length)) == SQLITE_OK) {
        if (segment.start == 0) first = segment;
        if (segment.pages != first.pages || segment.pageLength != first.pageLength
            || segment.sectorLength != first.sectorLength)
            return SQLITE_CORRUPT;
        result = read_segment(journal, &segment, header, file);
        segment.start = segment.next;
    }
    if (result != SQLITE_DONE) return result;
    if (segment.start == 0) return SQLITE_OK;
    journal->length = (sqlite3_int64)first.pages * first.pageLength;
    journal->pageLength = (int)first.pageLength;
    return check(journal, first.pages, file, database);
}

const struct record *keytool_journal_find(const struct journal *journal, sqlite3_int64 page) {
    struct record key = {(unsigned int)page, 0};
    if (journal->count == 0) return NULL;
    return bsearch(&key, journal->records, journal->count, sizeof key, compare);
}

void keytool_journal_release(struct journal *journal) {
    free(journal->records);
    *journal = (struct journal){.length = -1};
}
