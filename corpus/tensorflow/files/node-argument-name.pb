P
"serve*2.11.0=

xPlaceholder*
dtype0


f
a	
aNoOp"¿