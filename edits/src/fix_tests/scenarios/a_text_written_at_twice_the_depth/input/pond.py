def renew(x):
    drain(x)
    clean(x)
    fill(x)
