E
"serve:

bPlaceholder*
dtype0


yNegb*
T0
"¿