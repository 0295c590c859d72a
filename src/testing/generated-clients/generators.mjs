// The client generators, installed on demand into `node_modules/.cache`.
import { execFile } from 'node:child_process'
import { cp, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installOnDemand } from '../install-on-demand.mjs'

const run = promisify(execFile)

export const FOLDER = resolve('node_modules/.cache/generated-clients')

/** Exact versions, so that every run is the same. `node` is included because Orval and @hey-api/openapi-ts need Node 22. */
const PACKAGES = {
  '@hey-api/openapi-ts': '0.99.0',
  node: '24.21.0',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  orval: '8.38.0',
  typescript: '5.9.3',
}

/** Installs the generators, and copies the code that uses the clients into their folder. */
export async function installGenerators() {
  await installOnDemand('generated-clients', PACKAGES)
  const uses = fileURLToPath(new URL('uses', import.meta.url))
  await cp(uses, join(FOLDER, 'uses'), { recursive: true })
}

/** Generates a client with each generator. Orval writes the base URL into its code. */
export async function generate(document, baseUrl) {
  await rm(join(FOLDER, 'generated'), { recursive: true, force: true })
  const output = { target: 'generated/orval.ts', client: 'fetch', baseUrl }
  await writeFile(
    join(FOLDER, 'orval.config.mjs'),
    `export default ${JSON.stringify({ client: { input: document, output } })}\n`,
  )
  await Promise.all([
    call('openapi-typescript', document, '--output', 'generated/openapi-typescript.ts'),
    call('orval', '--config', 'orval.config.mjs'),
    call('openapi-ts', '--input', document, '--output', 'generated/hey-api'),
  ])
}

/** Compiles the clients and the code that uses them with `tsc --strict`. */
export async function compile() {
  await writeFile(join(FOLDER, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS }))
  await call('tsc', '--project', '.', '--strict')
}

const OPTIONS = {
  noEmit: true,
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  types: [],
}

/** Runs a program of the folder. The error of a failed run contains the program's output. */
async function call(program, ...args) {
  const node = join(FOLDER, 'node_modules/node/bin/node')
  const file = join(FOLDER, 'node_modules/.bin', program)
  await run(node, [file, ...args], { cwd: FOLDER }).catch((error) => {
    throw new Error(`${program} failed:\n${error.stdout}${error.stderr}`)
  })
}
