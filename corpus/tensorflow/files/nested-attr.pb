j
"serve*2.11.0W
P
xNoOp*E
graph<:

xPlaceholder*
dtype0

w	WriteFilexx"¿"¿