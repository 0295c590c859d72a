import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'

/** The run-time exports of an entry point. `src/testing/types/` tests the types. */
async function exportsOf(module: Promise<object>): Promise<string[]> {
  return Object.keys(await module).sort()
}

describe('the snapshot of the exports', () => {
  it('matches those of pet-sandbox', async () => {
    expect(await exportsOf(import('../../index.ts'))).toMatchInlineSnapshot(`
      [
        "UsageError",
        "afterHandlers",
        "beforeHandlers",
        "createSandbox",
        "defineHandlers",
        "passthrough",
      ]
    `)
  })

  it('matches those of pet-sandbox/express', async () => {
    expect(await exportsOf(import('../../express.ts'))).toMatchInlineSnapshot(`
      [
        "toExpress",
      ]
    `)
  })

  it('matches those of pet-sandbox/load', async () => {
    expect(await exportsOf(import('../../load.ts'))).toMatchInlineSnapshot(`
      [
        "loadContract",
        "loadLocale",
        "loadScenarios",
      ]
    `)
  })

  it('matches those of pet-sandbox/vitest', async () => {
    expect(await exportsOf(import('../../vitest.ts'))).toMatchInlineSnapshot(`
      [
        "matchers",
        "toHaveBehaved",
      ]
    `)
  })

  it('matches those of pet-sandbox/vite', async () => {
    expect(await exportsOf(import('../../vite.ts'))).toMatchInlineSnapshot(`
      [
        "petSandbox",
      ]
    `)
  })

  it('matches those of pet-sandbox/client', async () => {
    expect(await exportsOf(import('../../client.ts'))).toMatchInlineSnapshot(`
      [
        "UsageError",
        "createClient",
      ]
    `)
  })

  it('matches those of pet-sandbox/control', async () => {
    expect(await exportsOf(import('../../control.ts'))).toMatchInlineSnapshot(`
      [
        "createControl",
      ]
    `)
  })

  it('matches those of pet-sandbox/msw', async () => {
    expect(await exportsOf(import('../../msw.ts'))).toMatchInlineSnapshot(`
      [
        "handlers",
        "sandbox",
        "strict",
        "toHandlers",
      ]
    `)
  })

  it('matches the entry points in package.json', async () => {
    const { exports }: { exports: object } = JSON.parse(await readFile('package.json', 'utf8'))

    expect(Object.keys(exports)).toMatchInlineSnapshot(`
      [
        ".",
        "./express",
        "./msw",
        "./load",
        "./vitest",
        "./vite",
        "./vite/client",
        "./client",
        "./control",
        "./openapi.yaml",
        "./report.schema.json",
        "./verification.schema.json",
        "./x-sandbox.schema.json",
        "./package.json",
      ]
    `)
  })
})

describe('the files of the package', async () => {
  const files = (await readdir('dist')).filter((file) => file.endsWith('.js'))
  const texts = await Promise.all(files.map((file) => readFile(`dist/${file}`, 'utf8')))
  const filesWith = (pattern: RegExp): string[] =>
    files.filter((_, at) => pattern.test(texts[at] ?? ''))

  it('destructure nothing of an import with "then" that a build with Vite 6 would take for the file itself', () => {
    // The expression by which Vite finds the names that are used of a file (plugin importAnalysisBuild).
    const misread = /\{[^{}.=]+\}\s*=\s*await\s+import\([^)]+\)\s*\.then/

    expect(files.length).toBeGreaterThan(10)
    expect(filesWith(misread)).toEqual([])
  })

  it('are ASCII, of which V8 keeps one byte for each character', () => {
    expect(filesWith(/[^\0-\x7f]/)).toEqual([])
  })
})
