_target_: str
