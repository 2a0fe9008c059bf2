from a import b

class_name: str = 'x'
