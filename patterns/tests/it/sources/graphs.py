"""Walks over graphs and other small algorithms."""

import heapq
from collections import deque


class Node:
    def __init__(self, value, neighbours=None):
        self.value = value
        self.neighbours = neighbours or []
        self.visited = False

    def link(self, other):
        if other not in self.neighbours:
            self.neighbours.append(other)
            other.neighbours.append(self)


def reachable(start, goal):
    queue = deque([start])
    seen = set()
    seen.add(start)
    while queue:
        node = queue.popleft()
        if node is goal:
            return True
        for other in node.neighbours:
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return False


def height(tree):
    if tree is None:
        return 0
    left = height(tree.left)
    right = height(tree.right)
    return 1 + max(left, right)


def position(items, wanted):
    low, high = 0, len(items) - 1
    while low <= high:
        middle = (low + high) // 2
        if items[middle] == wanted:
            return middle
        elif items[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def merged(left, right):
    result = []
    i, j = 0, 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            result.append(left[i])
            i += 1
        else:
            result.append(right[j])
            j += 1
    result.extend(left[i:] or right[j:])
    return result


def factors(number):
    if number == 1:
        return []
    for divisor in range(2, int(number ** 0.5) + 1):
        if number % divisor == 0:
            return [divisor] + factors(number // divisor)
    return [number]


def shortest(graph, start, goal):
    heap = [(0, start)]
    done = set()
    while heap:
        length, node = heapq.heappop(heap)
        if node == goal:
            return length
        if node in done:
            continue
        done.add(node)
        for other, weight in graph[node].items():
            if other not in done:
                heapq.heappush(heap, (length + weight, other))
    return float("inf")


def balanced(text):
    depth = 0
    for letter in text:
        if letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0


def rotated(items, count):
    if not items:
        return []
    count = count % len(items)
    return items[-count:] + items[:-count]


def best_sum(values):
    best = values[0]
    running = 0
    for value in values:
        running = max(value, running + value)
        best = max(best, running)
    return best


def pairs(names, default=None):
    result = {}
    for index, name in enumerate(names):
        key = name.strip().lower()
        if key in result:
            result[key].append(index)
        else:
            result[key] = [index]
    return result


def words(text, limit):
    lines = []
    line = ""
    for word in text.split():
        if len(line) + len(word) + 1 > limit:
            lines.append(line)
            line = word
        else:
            line = (line + " " + word).strip()
    lines.append(line)
    return lines
