E
"serve*2.11.02
+
x&_ConnectInterTPUEmbeddingCommunication"¿