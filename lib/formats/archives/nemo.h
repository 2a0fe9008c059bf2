/* What a tar archive is by the names in it: NeMo's models are archives with a configuration, `model_config.yaml`, beside the
 * weights; TorchServe's may be.  Follows formats/others, section 1 (NeMo, TorchServe archive). */
#pragma once

#include "format.h"
#include "member.h"

struct nemo {
	bool configured;     /* there is a model_config.yaml: it is NeMo's */
	bool served;         /* there is a TorchServe manifest */
	struct member *code; /* the first file that TorchServe would run */
};

/**
 * nemo_judge() - a member, before it is judged by its content
 * @name: in the archive.  *ret_done: it is YAML, and has been judged and described.
 * Return: WLK_DONE; WLK_INCOMPLETE.
 */
enum wlk_status nemo_judge(struct nemo *n, struct layout *l, struct member *m, struct bytes name, bool *ret_done);
