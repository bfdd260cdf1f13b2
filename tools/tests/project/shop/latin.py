# café
NAME = "café"
