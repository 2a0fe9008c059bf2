l
"serve*2.11.0Y
R
xNoOp*G
graph>
<:

xPlaceholder*
dtype0

w	WriteFilexx"¿"¿