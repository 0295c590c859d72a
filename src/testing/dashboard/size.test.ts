import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'

const FOLDER = fileURLToPath(new URL('../../../dist/dashboard', import.meta.url))

test('all files of the dashboard have at most 90 kB together, compressed by brotli', () => {
  const sizes = readdirSync(FOLDER).map((name) => ({
    name,
    bytes: brotliCompressSync(readFileSync(join(FOLDER, name))).length,
  }))

  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  expect(sizes.map(({ name }) => name)).toContain('app.js')
  expect(total, JSON.stringify(sizes)).toBeLessThanOrEqual(90_000)
})
