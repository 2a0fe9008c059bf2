/* Configurations in archives: a member that is text is judged as its own name says, as a file of that name would be. */
#pragma once

#include "format.h"
#include "member.h"

/**
 * config_check_member() - judge a member that no reader of models knows, if its name says that it is a configuration
 * Only findings: what its bytes are is the archive's to say.
 * Return: WLK_DONE; WLK_BROKEN: not all was looked at; WLK_INCOMPLETE.
 */
enum wlk_status config_check_member(struct layout *l, struct member *m);

/* All of a text in YAML, of a layout whose findings have a place.  *ret_whole: libyaml took it. */
enum wlk_status config_check_events(struct layout *l, struct bytes text, bool *ret_whole);
/* The family that a member's own name suggests. */
enum config_family config_member_family(struct bytes path);
