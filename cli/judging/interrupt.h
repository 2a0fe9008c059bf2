/* SIGINT and SIGTERM as a descriptor to wait for, beside everything else that is waited for. */
#pragma once

/* Return: 0 or negative errno. */
int interrupt_init(void);
/* Readable once a signal came. */
int interrupt_fd(void);
/* The signal that came, or 0. */
int interrupt_signal(void);
