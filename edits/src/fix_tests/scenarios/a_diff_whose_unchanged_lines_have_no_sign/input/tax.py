RATE = 19


def tax(net):
    if net < 0:
        raise ValueError(net)
    return net * RATE / 10
