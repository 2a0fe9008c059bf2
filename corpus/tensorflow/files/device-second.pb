E
"serve*2.11.02
+
xPlaceholder"/job:localhost/job:worker"¿