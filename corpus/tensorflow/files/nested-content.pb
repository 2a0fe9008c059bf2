h
"serve*2.11.0U
N
gConst*B
value9B7-"-

xPlaceholder

w	WriteFilexx"¿"¿