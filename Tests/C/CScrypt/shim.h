#include <libscrypt.h>
