]
"serve*2.11.0J
C
xNoOp*8
graph/-

xPlaceholder

w	WriteFilexx"¿"¿