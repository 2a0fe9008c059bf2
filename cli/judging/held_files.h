/* Files of a folder that wait for each other are open all the while. */
#pragma once

#include <stddef.h>

/* Room for as many is made, as far as that is allowed.  Return: how many there may be, at most BACKEND_SET_MAX. */
size_t held_files_max(void);
