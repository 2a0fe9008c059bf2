‚
"serve*2.11.04

xPlaceholder*
dtype0

aAbort^x"¿*9
__saved_model_init_op 
__saved_model_init_op
a:0