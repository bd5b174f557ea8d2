// What a program was built from, in C because only a C target takes a value of the build: with another commit, this file
// is compiled again, and no room.
#ifndef KEYTOOL_CBUILD_H
#define KEYTOOL_CBUILD_H

/// "name=value" with ";" between them: commit, toolchain, and Debian's versions of the archives that are linked in. Empty
/// for what is no release (Scripts/build-facts).
const char *keytool_build_facts(void);

#endif
