7
"serve*2.11.0$

xNoOp"/job:worker/task:1"¿