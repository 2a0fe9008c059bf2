|
"serve*2.11.0i

xPlaceholder
P
cPartitionedCallx*7
f2R0
DebugIdentity

debug_urls
grpc://evil:1"¿