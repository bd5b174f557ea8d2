#include "CBuild.h"

#ifndef KEYTOOL_BUILD_FACTS
#define KEYTOOL_BUILD_FACTS ""
#endif

const char *keytool_build_facts(void) { return KEYTOOL_BUILD_FACTS; }
