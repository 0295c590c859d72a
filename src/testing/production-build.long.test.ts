import { resolve } from 'node:path'
import { build, type Rolldown } from 'vite'
import { describe, expect, test } from 'vitest'

const EXAMPLE = resolve('src/testing/guide/examples/browser.ts')

/** The modules in Vite's build of the page in the guide. */
async function buildPage(nodeEnv: string): Promise<readonly string[]> {
  const before = process.env.NODE_ENV
  // Vite sets `import.meta.env.DEV` to true unless NODE_ENV is "production".
  process.env.NODE_ENV = nodeEnv
  try {
    const output = await build({
      configFile: false,
      logLevel: 'silent',
      build: { write: false, minify: false, target: 'es2022', rolldownOptions: { input: EXAMPLE } },
    })
    return [output]
      .flat()
      .flatMap((one) => ('output' in one ? one.output.flatMap(moduleIdsOf) : []))
  } finally {
    process.env.NODE_ENV = before
  }
}

function moduleIdsOf(file: Rolldown.OutputChunk | Rolldown.OutputAsset): readonly string[] {
  return file.type === 'chunk' ? file.moduleIds : []
}

describe("Vite's build of the page in the guide", () => {
  test('contains the sandbox in development', async () => {
    const modules = await buildPage('development')

    expect(modules).toContain(resolve('dist/msw.js'))
  })

  test('contains neither the sandbox nor MSW in production', async () => {
    const modules = await buildPage('production')

    expect(modules).toContain(resolve('src/testing/consumer/app.ts'))
    expect(modules.filter((id) => /pet-sandbox\/dist|node_modules\/msw\//.test(id))).toEqual([])
  })
})
