def renew(x):
    drain(x)
    if x:
        clean(x)
    fill(x)
