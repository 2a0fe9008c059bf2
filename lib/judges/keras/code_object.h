/* A code object as marshal writes it: what it names and what constants it has, for who asked what loading would call.  Nothing
 * is judged by it: that a model holds code at all decides. */
#pragma once

#include "bytes.h"
#include "call_text.h"

/**
 * code_object_show() - code(names=("os", "system"), constants=("id",))
 * @marshal: of Python 2.7 and 3; code objects among the constants are shown likewise.
 * Return: false: that is no code object; what was put into @t so far stays.
 */
bool code_object_show(struct bytes marshal, struct call_text *t);
