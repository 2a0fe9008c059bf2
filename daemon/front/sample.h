/* A built-in safetensors file of two ones.  The front sends it through its own jail before it calls itself ready. */
#pragma once

#include <stdint.h>

/* Return: a sealed memfd, or negative errno. */
int sample_open(void);
/* Its bytes. */
uint64_t sample_size(void);
