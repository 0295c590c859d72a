import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { bundleForNode } from '../testing/bundle.ts'

const run = promisify(execFile)

/** Worlds, and the records of each. */
const SIZES = ['1000x50', '200x1000', '200x5000'] as const

/** Bytes that the worlds of each size take, and then those of one record. */
let bytes: readonly number[]

beforeAll(async () => {
  const script = await bundleForNode('measure-memory', 2)
  const { stdout } = await run(process.execPath, ['--expose-gc', script, ...SIZES])
  bytes = stdout.trim().split('\n').map(Number)
})

it('a thousand worlds with fifty records and one more each take less than 100 MB', () => {
  expect(bytes[0]).toBeLessThan(100e6)
})

it('a world takes memory only for its changes, however many records it has', () => {
  const [, few = 0, many = 0] = bytes

  expect(many / few).toBeLessThan(1.3)
})

it('a created record takes less than 600 bytes with its key, its index and its place in the library', () => {
  expect(bytes.at(-1)).toBeLessThan(600)
})
