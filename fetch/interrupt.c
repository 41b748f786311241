#include "fetch/interrupt.h"
#include "fetch/client.h"
#include <signal.h>

static volatile sig_atomic_t interrupted;

void net_interrupt(void) { interrupted = 1; }
bool net_interrupted(void) { return interrupted != 0; }
