/* The parts of the judge: each takes an entry of a map whose key some rule asks for.  True: that was all there is to be said
 * of it. */
#pragma once

#include "config_impl.h"

/* Libraries of a hub (section 2.1), trees of calls (2.2), servers and tools (2.3). */
bool judge_hub_key(struct config *c, uint32_t node);
bool judge_tree_key(struct config *c, uint32_t node);
bool judge_server_key(struct config *c, uint32_t node);
/* Of these: models of YOLO, and tools around models. */
bool judge_yolo_key(struct config *c, uint32_t node);
/* Programs that are started, packages that are installed: config_programs.c. */
bool judge_started_key(struct config *c, uint32_t node);
bool judge_tool_key(struct config *c, uint32_t node);
/* Programs that train, serve and drive agents: config_training.c. */
bool judge_training_key(struct config *c, uint32_t node);
/* What the outermost map and list say without keys of ours: components of a pipeline, lists of modules. */
void judge_outermost(struct config *c);

/* An entry that is called; that is imported; each text of a list of imports.  @vouched: as of config_name_standing().  Return:
 * was anything found? */
bool judge_call(struct config *c, uint32_t node, const char *vouched);
bool judge_import(struct config *c, uint32_t node, const char *vouched);
/* The same of a part of the entry's text. */
bool judge_import_name(struct config *c, uint32_t node, struct bytes name, const char *vouched);
void judge_imports(struct config *c, uint32_t list, const char *vouched);
void judge_read_path(struct config *c, uint32_t node);
/* A file that is read as this one is: its name has to tell those who judge it so, too. */
void judge_included(struct config *c, uint32_t node);
void judge_evaluate(struct config *c, uint32_t node, enum wlk_finding (*fault)(struct bytes text));

/* Has the map that the entry is in this key? */
static inline bool node_beside(const struct config *c, uint32_t node, unsigned bit)
{
	uint32_t parent = c->nodes[node].parent;

	return parent != NODE_NONE && node_has(&c->nodes[parent], bit);
}

/* The key of the map that it is in. */
static inline enum config_key node_under(const struct config *c, uint32_t node)
{
	uint32_t parent = c->nodes[node].parent;

	return parent != NODE_NONE ? (enum config_key)c->nodes[parent].key : KEY_NONE;
}

static inline bool node_is_outermost(const struct config *c, uint32_t node)
{
	uint32_t parent = c->nodes[node].parent;

	return parent != NODE_NONE && c->nodes[parent].parent == NODE_NONE;
}
