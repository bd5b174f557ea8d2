#include <zlib.h>

// inflateInit2 is a macro, which Swift cannot see. -15: raw deflate, 32 KiB window.
static inline int keytool_inflate_init_raw(z_stream *stream) {
    return inflateInit2(stream, -15);
}
