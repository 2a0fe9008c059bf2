/* The monitor: opens what needs opening (socket, programs, the journal), starts a front and its zygotes, and a keeper where
 * one is wanted, starts them again when they die, and nothing else.  It reads no byte a client sent: from those it starts it
 * takes a few kinds of word with a number in each (control.h), their lines and their entries for the journal.
 *
 *	monitor.c      the loop: what happened, and what is to be done about it
 *	crews.c        the lives of fronts and what follows from what; pure
 *	keeper_life.c  the same for a keeper; pure
 *	births.c       zygotes
 *	keepers.c      the processes behind the lives of keepers
 *	child.c        a process, its pipes and its log
 *	journal.c      journald
 *	listen.c       sockets
 *
 * It waits in poll(2) and nowhere else for as long as half of the watchdog's period, whatever a child does. */
#pragma once

#include "settings.h"

/**
 * monitor_run() - until SIGTERM or SIGINT and the drain that follows
 * @argc, @argv: to read the configuration again on SIGHUP
 * @s: owned from here on
 * Return: exit status.
 */
int monitor_run(int argc, char *const argv[], struct settings *s);
