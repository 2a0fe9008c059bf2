|
"serveq
.
kConst*
dtype0*
valueB
8

xPlaceholder*
dtype0

yReshapexk*
T0"¿