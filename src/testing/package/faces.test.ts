import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'

/** The names that a face exports at run time. Types are in `types.test-d.ts`. */
async function namesOf(face: Promise<object>): Promise<string[]> {
  return Object.keys(await face).sort()
}

describe('the exports', () => {
  it('of pet-sandbox are these', async () => {
    expect(await namesOf(import('../../index.ts'))).toMatchInlineSnapshot(`
      [
        "UsageError",
        "createSandbox",
      ]
    `)
  })

  it('of pet-sandbox/express are these', async () => {
    expect(await namesOf(import('../../express.ts'))).toMatchInlineSnapshot(`
      [
        "toExpress",
      ]
    `)
  })

  it('of pet-sandbox/load are these', async () => {
    expect(await namesOf(import('../../load.ts'))).toMatchInlineSnapshot(`
      [
        "loadContract",
        "loadScenarios",
      ]
    `)
  })

  it('of pet-sandbox/vitest are these', async () => {
    expect(await namesOf(import('../../vitest.ts'))).toMatchInlineSnapshot(`
      [
        "matchers",
        "toHaveBehaved",
      ]
    `)
  })

  it('of pet-sandbox/client are these', async () => {
    expect(await namesOf(import('../../client.ts'))).toMatchInlineSnapshot(`
      [
        "UsageError",
        "createClient",
      ]
    `)
  })

  it('of pet-sandbox/control are these', async () => {
    expect(await namesOf(import('../../control.ts'))).toMatchInlineSnapshot(`
      [
        "createControl",
      ]
    `)
  })

  it('of pet-sandbox/msw are these', async () => {
    expect(await namesOf(import('../../msw.ts'))).toMatchInlineSnapshot(`
      [
        "handlers",
        "sandbox",
        "strict",
        "toHandlers",
      ]
    `)
  })

  it('of the package are these', async () => {
    const { exports }: { exports: object } = JSON.parse(await readFile('package.json', 'utf8'))

    expect(Object.keys(exports)).toMatchInlineSnapshot(`
      [
        ".",
        "./express",
        "./msw",
        "./load",
        "./vitest",
        "./client",
        "./control",
        "./openapi.yaml",
        "./report.schema.json",
        "./package.json",
      ]
    `)
  })
})
