¤
"serve*2.11.0U

xPlaceholder*
dtype0

aAbort^x

iNoOp^a

initNoOp^i"¿*:
__saved_model_init_op!
__saved_model_init_op
init