™
"serve*2.11.0K

xPlaceholder*
dtype0

cMyInit


MyInit

aAbort"¿*9
__saved_model_init_op 
__saved_model_init_op
c:0