/* What every process the monitor forks does with what it inherits. */
#pragma once

/* Root gives itself up for the user "weighlock", or for nobody.  Return: 0 or negative errno. */
int process_drop_root(void);
/* Standard input and output are nobody's business there; standard error is for the log. */
void process_detach_terminal(void);
