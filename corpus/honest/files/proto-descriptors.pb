

a.protopackage"	
Message

b.protopackage"	
Message