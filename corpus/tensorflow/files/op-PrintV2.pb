L
"serve*2.11.09

xPrintV2in7

in7Placeholder*
dtype0"¿