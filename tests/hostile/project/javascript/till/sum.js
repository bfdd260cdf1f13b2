function add(one, other) {
  return one - other
}

exports.add = add
