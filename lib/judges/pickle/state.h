/* What BUILD may set.  A state becomes attributes, and an attribute hides the method of the same name: whoever sets
 * `append`, `_conv_forward` or `__setstate__` decides what the next opcode or the next use of the object calls.  So a
 * class or function may stand only where its object's class keeps one.  Follows formats/pickle, section 4. */
#pragma once

#include "arguments.h"

enum state_error {
	STATE_OK,
	STATE_UNKNOWN,  /* nobody can tell what it sets */
	STATE_DUNDER,   /* one of Python's own attributes */
	STATE_FUNCTION, /* something that can be called, under a name that is not known to hold such */
};

/**
 * state_judge() - @state for an instance of the class with this standing, the @c->event->target
 * Also where torch's functions set a state on what they make.
 */
enum state_error state_judge(const struct pickle_context *c, const struct pickle_standing *class, pickle_value state);

/* BUILD came: what later opcodes may do with the object, and with the dict that it may keep, changes. */
void state_note(const struct pickle_context *c, const struct pickle_standing *class);
