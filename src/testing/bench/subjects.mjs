// The servers of the bench: how each is started, and the requests that do the same work on it.
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createSandbox } from '../../../dist/index.js'
import { FOLDER, PACKAGES, programOf } from './peers.mjs'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const BODY = JSON.stringify({ name: 'Biscuit', categoryId: 2, status: 'available' })
const KEY = { Authorization: 'Bearer sk_sandbox_enterprise' }
const SPENT = { Authorization: 'Bearer sk_sandbox_rate_limited' }

/** The columns of the table, and the status that the response must have. */
export const WORKS = { list: 200, read: 200, unauthorized: 401, limited: 429, create: 201 }

/** The requests for a server without API keys. `base` is the base path of its API. */
function requests(base, headers = {}) {
  return {
    list: { path: `${base}/pets`, headers },
    read: { path: `${base}/pets/7`, headers },
    create: {
      path: `${base}/pets`,
      method: 'POST',
      headers: { ...headers, ...JSON_TYPE },
      body: BODY,
    },
  }
}

const canned = {
  ...requests('/v1'),
  unauthorized: { path: '/v1/unauthorized' },
  limited: { path: '/v1/limited' },
}
const { list, read, create } = requests('/v1', KEY)
const keyed = { list, read, create, unauthorized: { path: '/v1/pets' } }
const sandboxed = { ...keyed, limited: { path: '/v1/pets', headers: SPENT } }

/** The command that starts the sandbox. */
export function sandboxCommand(port, ...more) {
  const plan = 'enterprise=1000000000/1000000000'
  return [resolve('bin/pet-sandbox.js'), '--port', port, '--plan', plan, '--log', 'silent', ...more]
}

/** Every server, with its name in the table. All are compared with the first one. */
export async function subjects() {
  const document = resolve('openapi.yaml')
  const server = (name) => join(FOLDER, 'servers', name)
  const version = (name) => `${name} ${PACKAGES[name]}`
  const [prism, mockoon, jsonServer] = await Promise.all(
    ['@stoplight/prism-cli', '@mockoon/cli', 'json-server'].map(programOf),
  )
  const database = join(FOLDER, 'database.json')

  return [
    {
      name: `bare Express ${PACKAGES.express}`,
      command: (port) => [server('bare-express.mjs'), port],
      requests: canned,
    },
    {
      // The first server again, but it keeps created records. This shows the noise of the machine, and the memory of records.
      name: 'bare Express, keeping records',
      command: (port) => [server('bare-express.mjs'), port, 'keep'],
      requests: canned,
    },
    {
      name: 'bare node:http',
      command: (port) => [server('bare-http.mjs'), port],
      requests: canned,
    },
    { name: 'pet-sandbox', command: (port) => sandboxCommand(port), requests: sandboxed },
    {
      name: 'pet-sandbox, with its log',
      command: (port) => sandboxCommand(port, '--log', 'pretty'),
      requests: sandboxed,
    },
    {
      name: version('openapi-backend'),
      command: (port) => [server('openapi-backend.mjs'), port, document],
      requests: keyed,
    },
    {
      name: version('json-server'),
      prepare: async () =>
        writeFile(database, JSON.stringify({ pets: (await firstPets()).slice(0, 20) })),
      // It looks for a folder called `public`.
      cwd: FOLDER,
      command: (port) => [jsonServer, database, '--port', port],
      requests: requests(''),
    },
    {
      name: version('@mswjs/http-middleware'),
      command: (port) => [server('http-middleware.mjs'), port],
      requests: canned,
    },
    {
      name: version('@stoplight/prism-cli'),
      // It needs a newer Node.js than the sandbox.
      node: join(FOLDER, 'node_modules/node/bin/node'),
      command: (port) => [
        prism,
        'mock',
        document,
        '--port',
        port,
        '--multiprocess',
        'false',
        '--verboseLevel',
        'silent',
      ],
      requests: Object.fromEntries(
        Object.entries(keyed).map(([work, request]) => [
          work,
          { ...request, path: request.path.slice('/v1'.length) },
        ]),
      ),
    },
    {
      name: version('@mockoon/cli'),
      command: (port) => [
        mockoon,
        'start',
        '--data',
        document,
        '--port',
        port,
        '--disable-log-to-file',
      ],
      requests: requests('/v1'),
    },
  ]
}

/** The first records of all servers. */
export async function firstPets() {
  const sandbox = createSandbox()
  return await sandbox.collection('pets').list()
}
