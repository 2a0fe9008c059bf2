_
"serve*2.11.0L
E
xNoOp*:
graph1
/-

xPlaceholder

w	WriteFilexx"¿"¿