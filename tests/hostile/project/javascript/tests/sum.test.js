const assert = require('node:assert')
const { test } = require('node:test')

const { add } = require('../till/sum')

test('adds', () => assert.strictEqual(add(2, 3), 5))
test('adds nothing', () => assert.strictEqual(add(2, 0), 2))
