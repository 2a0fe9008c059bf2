/* Configurations that name what is to be called: Hydra's _target_, YAML's Python tags, transformers' auto_map.  Follows
 * formats/others, section 1 (Hydra-style configs, NeMo). */
#pragma once

#include "format.h"

#define CONFIG_TARGET_MAX 512u /* no importable name comes near; what is longer is not known */

/* A value of _target_, at @at in the part. */
void config_check_target(struct layout *l, struct bytes target, uint64_t at);

/* A value of a key that some loaders import and others mean otherwise (target of latent diffusion's configurations,
 * class_path of Lightning's, type of sentence-transformers' modules), at @at in the part: told when it is dangerous. */
void config_check_class(struct layout *l, struct bytes target, uint64_t at);

/* Has the key at @at in YAML an anchor?  An alias of it names what is called as the key itself does. */
bool config_is_anchored(struct bytes text, size_t at);

/* The same where all that is named so is imported: what is no class of a known library is told too. */
void config_check_import(struct layout *l, struct bytes target, uint64_t at);

/* YAML as text: tags that make Python objects, and what the keys _target_, target and class_path name, or hide.  @text: all
 * of it, which begins at 0.  @imports: its loader imports whatever target and class_path name. */
void config_check_yaml(struct layout *l, struct bytes text, bool imports);

/* YAML by its events; what libyaml refuses other parsers may take, so that it is searched as text.  Return: as config_end(). */
enum wlk_status config_judge_yaml(struct layout *l, struct bytes text, bool imports);

/**
 * config_judge_member() - a member of an archive that has been found to be text: is it a configuration, by its name?
 * Then it is judged like a file of that name.  Nothing of a set is looked at.
 * Return: WLK_DONE, also with findings; WLK_BROKEN: not all of it was looked at; WLK_INCOMPLETE.
 */
enum wlk_status config_judge_member(struct layout *l, struct member *m, struct bytes name, bool imports);

/* The same of a member whose bytes nobody accounts for: text or not, it stays so.  Return: WLK_DONE, WLK_INCOMPLETE. */
enum wlk_status config_judge_unread(struct layout *l, struct member *m, struct bytes name);
