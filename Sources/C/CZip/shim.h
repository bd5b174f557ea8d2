// libzip by its header alone. Few commands read a ZIP file, so it is opened when one does; linked, it would bring
// OpenSSL's shared libraries and libbz2 to every command.
#ifndef KEYTOOL_CZIP_H
#define KEYTOOL_CZIP_H

#include <zip.h>

#endif
