import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { bundleForNode } from '../testing/bundle.ts'

const run = promisify(execFile)

/** Bytes that worlds of so many records take, each of which was asked a few times. */
async function bytesOf(worlds: number, records: number): Promise<number> {
  const script = await bundleForNode('weigh-worlds', 'msw')
  const { stdout } = await run(process.execPath, ['--expose-gc', script, `${worlds}`, `${records}`])
  return Number(stdout)
}

it('a thousand worlds of fifty records take less than 100 MB, an animal added to each', async () => {
  expect(await bytesOf(1000, 50)).toBeLessThan(100e6)
}, 30_000)

it('a world costs what it changes, however many records it has', async () => {
  const [few, many] = await Promise.all([bytesOf(200, 1000), bytesOf(200, 5000)])

  expect(many / few).toBeLessThan(1.3)
}, 30_000)
