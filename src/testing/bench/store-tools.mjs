// The tools of the tests with a store, for the bench. They are TypeScript, which not every supported version of Node runs.
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const FOLDER = resolve('node_modules/.cache/bench')
const TOOLS = ['start-redis', 'network', 'free-port']

/** Imports the modules of `src/testing/redis` that the bench uses. */
export async function loadTools() {
  await mkdir(FOLDER, { recursive: true })
  const bundle = await rolldown({
    input: Object.fromEntries(TOOLS.map((name) => [name, `src/testing/redis/${name}.ts`])),
    platform: 'node',
  })
  await bundle.write({ dir: join(FOLDER, 'redis'), entryFileNames: '[name].mjs' })
  await bundle.close()
  const modules = await Promise.all(
    TOOLS.map((name) => import(pathToFileURL(join(FOLDER, 'redis', `${name}.mjs`)))),
  )
  return Object.assign({}, ...modules)
}
