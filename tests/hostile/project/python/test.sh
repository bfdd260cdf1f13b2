python3 -m unittest -v 2>&1
