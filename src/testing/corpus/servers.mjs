// The servers that are measured: how each is started, and under which path it serves an operation.
import { join, resolve } from 'node:path'
import { FOLDER, PACKAGES, programOf } from './packages.mjs'

const PRISM = '@stoplight/prism-cli'
const COMMAND = resolve('bin/pet-sandbox.js')

/** The sandbox of a document with default settings, except that it prints nothing. */
export function sandboxOf(file) {
  return { command: (port) => [COMMAND, 'serve', file, '--port', port, '--log', 'silent'] }
}

/** All servers, the sandbox first. */
export async function allServers() {
  const prism = await programOf(PRISM)
  return [
    { name: 'pet-sandbox', of: sandboxOf, basePathOf },
    {
      name: `${PRISM} ${PACKAGES[PRISM]}`,
      of: (file) => ({
        // It needs a newer Node.js than the sandbox.
        node: join(FOLDER, 'node_modules/node/bin/node'),
        command: (port) => [
          ...[prism, 'mock', file, '--port', port],
          ...['--multiprocess', 'false', '--verboseLevel', 'silent'],
        ],
      }),
      // It serves all operations at the root.
      basePathOf: () => '',
    },
  ]
}

/** The path of the first server of an operation or of a document, such as `/v1`. */
export function basePathOf({ servers }) {
  const [server] = servers
  const url = String(server?.url ?? '').replace(/\{([^}]*)\}/g, (variable, name) =>
    String(server.variables?.[name]?.default ?? variable),
  )
  // Some documents leave out the scheme: `api.example.com/v1`.
  const address = /^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)/.test(url) ? `http://${url}` : url
  try {
    return new URL(address, 'http://localhost').pathname.replace(/\/+$/, '')
  } catch {
    return ''
  }
}
