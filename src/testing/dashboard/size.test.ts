import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'

const FOLDER = fileURLToPath(new URL('../../../dist/dashboard', import.meta.url))

/** The bytes of files of the dashboard together, each compressed by brotli. */
function sizeOf(names: Iterable<string>): number {
  return [...names].reduce(
    (sum, name) => sum + brotliCompressSync(readFileSync(join(FOLDER, name))).length,
    0,
  )
}

/** A script and all that it imports at once. */
function withImports(name: string, found: Set<string> = new Set()): ReadonlySet<string> {
  if (found.has(name)) return found
  found.add(name)
  const text = readFileSync(join(FOLDER, name), 'utf8')
  for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) {
    withImports(imported, found)
  }
  return found
}

test('the dashboard opens with at most 56 kB, compressed by brotli', () => {
  expect(sizeOf([...withImports('app.js'), 'app.css', 'index.html'])).toBeLessThanOrEqual(56_000)
})

test('all files of the dashboard have at most 90 kB together, compressed by brotli', () => {
  const names = readdirSync(FOLDER)

  expect(names).toContain('app.js')
  expect(sizeOf(names)).toBeLessThanOrEqual(90_000)
})
