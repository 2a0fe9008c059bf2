/* Places for connections, when all are taken: whoever holds many and asks for nothing makes room.  So nobody is shut out
 * by those who only connect, however many users they are. */
#pragma once

#include <stdbool.h>

struct front;

/* End one connection that is idle, or whose head does not go on: of the user who has most of these the one that came
 * first.  One whose next bytes are here already stays.  Return: whether there was one. */
bool room_make(struct front *f);
