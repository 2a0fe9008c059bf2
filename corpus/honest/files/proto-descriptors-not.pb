

a.protpackage"	
Message

b.protpackage"	
Message