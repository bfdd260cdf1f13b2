def feed(fish):
    food = scoop()
    scatter(
        food)
    return food
