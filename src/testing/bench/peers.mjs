// What the bench needs besides the sandbox, installed on demand into a folder that git does not see.
import { cp, mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installOnDemand } from '../install-on-demand.mjs'

export const FOLDER = resolve('node_modules/.cache/bench')

/** Pinned, so that two runs compare the same things. `node` is the one that Prism asks for. */
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

/** Installs what is missing, and puts the hand-written servers where they find it. */
export async function installPeers() {
  console.error('Installing the peers, unless they are there …')
  await installOnDemand('bench', PACKAGES)
  // json-server does not start without a public folder.
  await mkdir(join(FOLDER, 'public'), { recursive: true })
  const servers = fileURLToPath(new URL('servers', import.meta.url))
  await cp(servers, join(FOLDER, 'servers'), { recursive: true })
}

/** The program of a peer, as a file for Node. */
export async function programOf(name) {
  const folder = join(FOLDER, 'node_modules', name)
  const { bin } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const [program] = typeof bin === 'string' ? [bin] : Object.values(bin)

  return join(folder, program)
}
