U
"serve*2.11.0B

xDatasetFromGraphin7

in7Placeholder*
dtype0"¿