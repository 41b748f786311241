/* The one flag that a signal handler sets. */
#ifndef NET_INTERRUPT_H
#define NET_INTERRUPT_H
#include <stdbool.h>

bool net_interrupted(void);

#endif
