E
"serve:

xPlaceholder*
dtype0

yNegx*
T0"¿