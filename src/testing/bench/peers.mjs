// The other servers of the bench, installed on demand into a folder that git ignores.
import { cp, mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installOnDemand } from '../install-on-demand.mjs'

export const FOLDER = resolve('node_modules/.cache/bench')

/** Exact versions, so that two runs compare the same servers. `node` is the version that Prism needs. */
export const PACKAGES = {
  '@mockoon/cli': '9.9.0',
  '@msw/data': '1.1.7',
  '@mswjs/http-middleware': '0.10.3',
  '@stoplight/prism-cli': '5.16.0',
  express: '5.3.0',
  'json-server': '1.0.0-beta.15',
  msw: '2.15.0',
  node: '24.21.0',
  'openapi-backend': '5.21.2',
  zod: '4.6.7',
}

/** Installs missing packages, and copies the hand-written servers next to them. */
export async function installPeers() {
  console.error('Installing the other servers, unless they are installed …')
  await installOnDemand('bench', PACKAGES)
  // json-server does not start without a folder called `public`.
  await mkdir(join(FOLDER, 'public'), { recursive: true })
  const servers = fileURLToPath(new URL('servers', import.meta.url))
  await cp(servers, join(FOLDER, 'servers'), { recursive: true })
}

/** The file of a package's command, for Node.js to run. */
export async function programOf(name) {
  const folder = join(FOLDER, 'node_modules', name)
  const { bin } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const [program] = typeof bin === 'string' ? [bin] : Object.values(bin)

  return join(folder, program)
}
