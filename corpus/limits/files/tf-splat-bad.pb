…
"servez
7
kConst*
dtype0*
valueB8þÿÿÿÿÿÿÿÿ

xPlaceholder*
dtype0

yReshapexk*
T0"¿