/* PMML, the Predictive Model Markup Language of the Data Mining Group, versions 3.0 to 4.4: a model as a document of XML
 * that describes and calls nothing, but for functions that evaluators look up by name and what vendors put into extensions. */
#pragma once

#include "format.h"

extern const struct wlk_format format_pmml;

bool pmml_is_element(struct bytes name);
bool pmml_is_function(struct bytes name);
