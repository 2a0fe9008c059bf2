/* The subcommands of `weighlock`.  None of them knows a format or parses a model file: that is done by the jailed worker,
 * started here (judging/local.c) or by the daemon (judging/client.c). */
#pragma once

#include <stdbool.h>

#include "policy.h"

/* Subcommands: argv[0] is the subcommand's name.  Each returns the exit status. */
int cmd_scan(int argc, char **argv);
int cmd_admit(int argc, char **argv);
int cmd_exec(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_verdict_diff(int argc, char **argv);
int cmd_identify(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_case(int argc, char **argv);
int cmd_rules(int argc, char **argv);
int cmd_formats(int argc, char **argv);
int cmd_policy(int argc, char **argv);
int cmd_exception(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_store(int argc, char **argv);
int cmd_audit(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_metrics(int argc, char **argv);
int cmd_doctor(int argc, char **argv);

/* ---- policy_cmd.c ---- */

/* A policy by built-in name, else by file.  Says what is wrong.  Return: 0 or CLI_USAGE. */
int policy_find(const char *name_or_file, struct policy **ret);
/* Built-in packs by their names.  @command: whose option --pack is.  Return: CLI_OK; CLI_USAGE with a message. */
int policy_add_packs(struct policy *p, const char *command, const char *const *names, size_t n);
/* `weighlock policy try`, argv[0] being "try".  Return: the exit status. */
int policy_try(int argc, char **argv);
/* What --socket can be given: a name, never a file. */
bool policy_is_name(const char *text);
