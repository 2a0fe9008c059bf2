/* What the parts of the reader of OpenVINO's models share. */
#pragma once

#include "openvino.h"
#include "ranges.h"
#include "scoped_names.h"
#include "xml_file.h"

/* What elements are for the reader. */
enum ov_kind {
	OV_NONE,
	OV_GRAPH, /* the root, and bodies of layers that have some */
	OV_LAYERS,
	OV_LAYER,
	OV_DATA,
	OV_PORTS,
	OV_PORT,
	OV_DIM,
	OV_EDGES,
	OV_EDGE,
	OV_PREPROCESS,
	OV_CHANNEL,
	OV_BLOBS,
	OV_BLOB, /* a range of the weights without a shape */
	OV_PORT_MAP,
	OV_BACK_EDGES,
	OV_LEAF,
	OV_FREE, /* notes of writers: anything may be in them, and nothing in them is loaded */
};

#define OV_NAME_MAX 1024u /* bytes of a layer's name that are shown */

/* A layer that is open. */
struct ov_layer {
	bool constant, data, ranged;
};

struct openvino {
	struct layout *l;
	struct xml_reader reader;
	bool stopped;                  /* the manifest is full */
	bool old;                      /* before sets of operations: a layer has no version, and other types */
	unsigned depth;                /* open elements */
	uint8_t kind[XML_DEPTH_MAX];   /* of each: enum ov_kind */
	uint64_t graph[XML_DEPTH_MAX]; /* number of each that is a graph */
	struct ov_layer layer[XML_DEPTH_MAX];
	uint8_t name[OV_NAME_MAX]; /* of the layer that was opened last */
	size_t name_n;
	uint64_t name_bytes;
	uint64_t n_graphs;
	struct scoped_names names; /* ids of layers, with their graph */
	struct ranges weights;
	uint64_t n_rows;
};

void openvino_at(struct openvino *o, enum wlk_finding code, uint64_t offset, struct bytes subject);
/* The model contradicts itself; or it has what nobody knows.  Either way it is not understood. */
void openvino_broken(struct openvino *o, uint64_t offset, struct bytes subject);
void openvino_unknown(struct openvino *o, uint64_t offset, struct bytes subject);

/* openvino_layers.c */
void openvino_open_layer(struct openvino *o, const struct xml_tag *tag);
void openvino_open_data(struct openvino *o, const struct xml_tag *tag);
void openvino_open_blob(struct openvino *o, const struct xml_tag *tag);
void openvino_close_layer(struct openvino *o, unsigned depth, uint64_t offset);
void openvino_open_edge(struct openvino *o, const struct xml_tag *tag);
void openvino_open_free(struct openvino *o, const struct xml_tag *tag);
/* After the walk: ranges of the weights against each other. */
void openvino_check_weights(struct openvino *o);
