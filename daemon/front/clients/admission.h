/* Who comes in, before anything is done for him: two questions about numbers.  Pure: the caller counts, and brings the clock.
 *
 * A connection costs its user a knock, and gives it back by asking for something: so who asks may connect as often as he
 * likes, and who only connects runs out; one that leaves before it has its answer counts as one that did not ask.  Users are told apart by their uid's last bits, which nobody can choose. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define ADMISSION_USERS 256u
#define ADMISSION_KNOCK_MS UINT64_C(32) /* in which one is forgotten that asked for nothing: 31 a second */
#define ADMISSION_KNOCKS_MIN 64u        /* at once, however few connections a user may have */

/* Of places that are left, the last ADMISSION_LAST-th part is for users who have few: who has more than an
 * ADMISSION_FEW-th of what is free gets none of it.  So users can take all that they may, and there is a place for another. */
#define ADMISSION_LAST 16u
#define ADMISSION_FEW 8u

/* Zeroed: nobody has knocked.  When all of a user's are forgotten. */
struct admission {
	uint64_t free_ms[ADMISSION_USERS];
};

/* One more connection of this user, of whom at most @most may be there that have asked for nothing.  Return: false: he has
 * had too many of these; nothing was taken. */
bool admission_knock(struct admission *a, uid_t uid, unsigned most, uint64_t now_ms);
/* It has asked. */
void admission_asked(struct admission *a, uid_t uid);
/* May a user who has @held places take one of the @left, of @all? */
bool admission_place(unsigned held, unsigned left, unsigned all);
