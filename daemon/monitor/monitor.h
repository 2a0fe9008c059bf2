/* The monitor: opens what needs opening (socket, spool folder, worker program), starts a front and its zygotes,
 * starts them again when they die, and nothing else.  It reads no byte a client sent: from the front it takes five
 * kinds of message with a number in each (control.h). */
#pragma once

#include "settings.h"

/**
 * monitor_run() - until SIGTERM or SIGINT and the drain that follows
 * @argc, @argv: to read the configuration again on SIGHUP
 * @s: owned from here on
 * Return: exit status.
 */
int monitor_run(int argc, char *const argv[], struct settings *s);
