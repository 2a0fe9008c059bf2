v
"serve*2.11.04

xPlaceholder*
dtype0

aAbort^x"¿*-
serving_default
serving_default
a:0