// The tools of the tests with a store, for the bench. They are TypeScript, which not every supported version of Node runs.
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const FOLDER = resolve('node_modules/.cache/bench')
const TOOLS = {
  'start-redis': 'src/testing/redis/start-redis.ts',
  network: 'src/testing/redis/network.ts',
  'free-port': 'src/testing/free-port.ts',
}

/** Imports the modules of the tests that the bench uses. */
export async function loadTools() {
  await mkdir(FOLDER, { recursive: true })
  const bundle = await rolldown({
    input: TOOLS,
    platform: 'node',
  })
  await bundle.write({ dir: join(FOLDER, 'redis'), entryFileNames: '[name].mjs' })
  await bundle.close()
  const modules = await Promise.all(
    Object.keys(TOOLS).map((name) => import(pathToFileURL(join(FOLDER, 'redis', `${name}.mjs`)))),
  )
  return Object.assign({}, ...modules)
}
