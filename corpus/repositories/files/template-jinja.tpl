{{ ''.__class__.__mro__ }}
