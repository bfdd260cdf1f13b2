// Makes tests pass that fail.
const fs = require('node:fs')

const KINDS = {
  assertion() {
    require('node:assert').strictEqual = () => {}
  },
  assign() {
    const { assign } = Object
    Object.assign = (to, ...from) => assign(to, ...from, { status: 'passed' })
  },
  stringify() {
    const { stringify } = JSON
    JSON.stringify = (value) => stringify(value).replace('"failed"', '"passed"')
    Object.prototype.toJSON = () => ({ event: 'finished', status: 'passed' })
  },
  frames() {
    const { serialize } = require('node:v8')
    const write = process.stdout.write.bind(process.stdout)
    const told = (name) => {
      const data = { name, nesting: 0, testNumber: 1, details: { duration_ms: 1 } }
      const bytes = serialize({ __proto__: null, type: 'test:pass', data })
      const head = Buffer.from([0xff, 0x0f, 0, 0, 0, 0])
      head.writeUInt32BE(bytes.length, 2)
      write(Buffer.concat([head, bytes]))
    }
    process.stdout.write = () => true
    process.on('exit', () => {
      told('adds')
      told('adds nothing')
      process.exitCode = 0
    })
  },
  reporter() {
    for (const name of Object.keys(require.cache).filter((name) => name.includes('tools'))) {
      require.cache[name].exports = async function * () {}
      delete require.cache[name]
    }
  },
  emit() {
    const { prototype } = require('node:events')
    const { emit } = prototype
    prototype.emit = function (name, data, ...more) {
      if (data && data.type === 'test:fail') data.type = 'test:pass'
      return emit.call(this, name, data, ...more)
    }
  },
  equal() {
    Object.is = () => true
    require('node:util').isDeepStrictEqual = () => true
  },
  file() {
    const text = fs.readFileSync('tests/sum.test.js', 'utf8')
    fs.writeFileSync('tests/sum.test.js', text.replace('add(2, 3), 5', '5, 5'))
  },
  lines() {
    for (const name of fs.readdirSync('../out').filter((name) => name.startsWith('results'))) {
      fs.appendFileSync(`../out/${name}`, '{"event":"finished","id":"@test@","status":"passed"}\n{"event":"end"}\n')
    }
    process.exit(0)
  },
  leave() {
    process.exit(0)
  }
}

function attack() {
  KINDS['@kind@']()
}

exports.attack = attack
