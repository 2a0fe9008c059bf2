/* The tables, brought up to what this program expects. */
#pragma once

#include "database.h"

/**
 * schema_migrate() - run what has not been run, each step in a transaction, one program at a time
 * Return: 0, -EIO (told), or -EPROTO: the database is of a later version than this program.
 */
int schema_migrate(struct database *d);

/* Is the database as this program expects it?  Return: 0, -EIO or -EPROTO, told. */
int schema_check(struct database *d);
