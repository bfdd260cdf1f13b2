def feed(fish):
    for food in scoops(fish):
        weigh(food)
        scatter(
            food, 2)
    return food
