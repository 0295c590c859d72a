import { resolve } from 'node:path'
import { build, type Rolldown } from 'vite'
import { describe, expect, test } from 'vitest'

const EXAMPLE = resolve('src/testing/guide/examples/browser.ts')

/** The modules that are in Vite's build of the guide's page. */
async function modulesOf(nodeEnv: string): Promise<readonly string[]> {
  const before = process.env.NODE_ENV
  // Vite goes by it: `import.meta.env.DEV` is true unless it is "production".
  process.env.NODE_ENV = nodeEnv
  try {
    const output = await build({
      configFile: false,
      logLevel: 'silent',
      build: { write: false, minify: false, target: 'es2022', rolldownOptions: { input: EXAMPLE } },
    })
    return [output].flat().flatMap((one) => ('output' in one ? one.output.flatMap(moduleIds) : []))
  } finally {
    process.env.NODE_ENV = before
  }
}

function moduleIds(file: Rolldown.OutputChunk | Rolldown.OutputAsset): readonly string[] {
  return file.type === 'chunk' ? file.moduleIds : []
}

describe("Vite's build of the page in the guide", () => {
  test('has the sandbox while developing', async () => {
    const modules = await modulesOf('development')

    expect(modules).toContain(resolve('dist/msw.js'))
  })

  test('has neither the sandbox nor MSW in production', async () => {
    const modules = await modulesOf('production')

    expect(modules).toContain(resolve('src/testing/consumer/app.ts'))
    expect(modules.filter((id) => /pet-sandbox\/dist|node_modules\/msw\//.test(id))).toEqual([])
  })
})
