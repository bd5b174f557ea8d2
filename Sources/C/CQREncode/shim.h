// libqrencode by its header alone: it is opened when a QR code is drawn.
#include <qrencode.h>
