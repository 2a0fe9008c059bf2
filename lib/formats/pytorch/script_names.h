/* Names in the source of TorchScript: the table script_names.tsv. */
#pragma once

#include <stdbool.h>

enum script_operator { OPERATOR_NONE, OPERATOR_KNOWN, OPERATOR_OTHER, OPERATOR_ACTS };

/* Is it an operator of aten::, and what sort? */
enum script_operator script_operator_of(const char *name);
bool script_is_prim(const char *name);
/* May it be called by its bare name?  What the writer numbers (_0, _12) is a function that the source assigned. */
bool script_is_callable(const char *name);
/* A word of the language that no model is saved with. */
bool script_is_word(const char *name);
/* Namespaces of operators that are nothing but files and processes. */
bool script_namespace_acts(const char *name);
