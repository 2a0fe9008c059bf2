Q
"serve*2.11.0>
7
xNoOp",/job:localhost/replica:0/task:0/device:CPU:0"¿