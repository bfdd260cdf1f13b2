// Puts something else in the place of files and folders of the lane.
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const LANE = path.dirname(process.cwd())
const TARGET = `@target@`

const KINDS = {
  link: (place) => fs.symlinkSync(TARGET, place),
  hard: (place) => fs.linkSync(path.join(LANE, TARGET), place),
  fifo: (place) => execFileSync('mkfifo', [place]),
  folder: (place) => fs.mkdirSync(place),
  text: (place) => fs.writeFileSync(place, TARGET, { mode: 0o755 }),
  sparse: (place) => fs.closeSync(fs.openSync(place, 'w')) || fs.truncateSync(place, 7 * 2 ** 30)
}

function attack() {
  for (const name of '@places@'.split(' ')) {
    const place = path.join(LANE, name)
    fs.mkdirSync(path.dirname(place), { recursive: true })
    if (fs.lstatSync(place, { throwIfNoEntry: false })) {
      fs.renameSync(place, `${place}.${process.hrtime.bigint()}`)
    }
    KINDS['@kind@'](place)
  }
}

exports.attack = attack
