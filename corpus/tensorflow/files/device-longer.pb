B
"serve*2.11.0/
(
xPlaceholder"/job:localhost2/task:0"¿