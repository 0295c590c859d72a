import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { runCommand, type StartedCommand, startCommand, stopCommands } from '../testing/command.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const BIN = resolve('bin/pet-sandbox.js')
const MERGED = 'exec "$0" "$@" 2>&1'

const folder = useTemporaryDirectory()

afterEach(stopCommands)

/** A document with the operations of these collections. */
function documentOf(...collections: readonly string[]): string {
  const schema = `{ $ref: 'schemas.yaml#/Record' }`
  const paths = collections.map(
    (name) => `  /${name}:
    get:
      operationId: list_${name}
      responses: { '200': { description: All, content: { application/json: { schema: { type: array, items: ${schema} } } } } }
    post:
      requestBody: { content: { application/json: { schema: ${schema} } } }
      responses: { '201': { description: New, content: { application/json: { schema: ${schema} } } } }
`,
  )

  return `openapi: 3.1.1\ninfo: { title: Shop, version: '1' }\npaths:\n${paths.join('')}`
}

const SCHEMAS =
  'Record: { type: object, properties: { id: { type: integer, readOnly: true }, name: { type: string } } }\n'

async function write(file: string, text: string): Promise<void> {
  await writeFile(join(folder(), file), text)
}

/** Starts a sandbox of `api.yaml` that watches its files. */
async function startWatching(): Promise<StartedCommand> {
  await write('api.yaml', documentOf('books'))
  await write('schemas.yaml', SCHEMAS)
  await write('hints.yaml', 'overlay: 1.0.0\nactions: []\n')
  await write('settings.yaml', 'records: 1\nauth: false\n')
  const args = ['api.yaml', '--watch', '--overlay', 'hints.yaml', '--config', 'settings.yaml']

  // Errors are part of the output, so that the tests can wait for them.
  return startCommand(args, { cwd: folder(), program: ['sh', '-c', MERGED, process.execPath, BIN] })
}

async function send({ base }: StartedCommand, path: string, name?: string): Promise<unknown> {
  const body = name === undefined ? undefined : JSON.stringify({ name })
  const headers = { 'Content-Type': 'application/json' }
  const method = body === undefined ? 'GET' : 'POST'
  const response = await fetch(base + path, { method, headers, ...(body && { body }) })

  return response.json()
}

describe('with --watch, the sandbox is reloaded', () => {
  test('when the document, a file that it refers to, an overlay or the configuration changes', async () => {
    const sandbox = await startWatching()
    await send(sandbox, '/books', 'Mine')

    await write('api.yaml', documentOf('books', 'pens'))
    await sandbox.waitForOutput(/Reloaded api\.yaml: 4 operations \(\+2 −0\)/)
    // Many editors save by renaming.
    await write('new.yaml', SCHEMAS.replace('string', 'string, maxLength: 4'))
    await rename(join(folder(), 'new.yaml'), join(folder(), 'schemas.yaml'))
    await sandbox.waitForOutput(/1 record of books was removed: it no longer matches/)
    await write(
      'hints.yaml',
      'overlay: 1.0.0\nactions: [{ target: $.paths.*.post, remove: true }]\n',
    )
    await sandbox.waitForOutput(/2 operations \(\+0 −2\)/)
    await write(
      'settings.yaml',
      'records: 1\nauth: false\nplans: { free: { minute: 9, day: 9 } }\nport: 1\n',
    )
    await sandbox.waitForOutput(/2 operations \(\+0 −0\)/)

    expect(await send(sandbox, '/books')).toEqual([{ id: 2, name: 'Mine' }])
    expect(await send(sandbox, '/pens')).toEqual([{ id: 1, name: expect.any(String) }])
    const { headers } = await fetch(`${sandbox.base}/books`)
    expect(headers.get('X-RateLimit-Limit')).toBe('9')
  })

  test('and a broken save keeps the last good version, until it is corrected', async () => {
    const sandbox = await startWatching()
    await send(sandbox, '/books', 'Mine')

    await write('api.yaml', 'openapi: [')
    // A save that is not atomic may be read before its text is there.
    await sandbox.waitForOutput(/the bracket \[ is not closed.*The last good version/)
    const during = await send(sandbox, '/books')
    await write('api.yaml', documentOf('books', 'pens'))
    await sandbox.waitForOutput(/4 operations \(\+2 −0\)/)

    expect(during).toHaveLength(2)
    expect(await send(sandbox, '/books')).toHaveLength(2)
    expect(sandbox.output()).toContain(
      'Cannot load api.yaml: the bracket [ is not closed (api.yaml:1:10).',
    )
  })
})

test('a changed and an added scenario are reloaded, too', async () => {
  await write('api.yaml', documentOf('books'))
  await write('schemas.yaml', SCHEMAS)
  await mkdir(join(folder(), 'scenarios'))
  await write('scenarios/slow.yaml', 'description: Slow.\n')
  const sandbox = await startCommand(['api.yaml', '--watch', '--scenarios', 'scenarios'], {
    cwd: folder(),
    program: ['sh', '-c', MERGED, process.execPath, BIN],
  })

  await write('scenarios/slow.yaml', 'descripton: Slow.\n')
  await sandbox.waitForOutput(/unknown field "descripton".*The last good version/)
  await write('scenarios/slow.yaml', 'description: Slower.\n')
  await sandbox.waitForOutput(/Reloaded api\.yaml/)
  await write('scenarios/empty.yaml', 'descrption: Empty.\n')

  await sandbox.waitForOutput(/unknown field "descrption"/)
})

test('after a reload that changes the servers, the log shows the new base path', async () => {
  const sandbox = await startWatching()
  const origin = new URL(sandbox.base).origin

  await write('api.yaml', `servers: [{ url: /v7 }]\n${documentOf('books')}`)
  await sandbox.waitForOutput(/Reloaded/)
  await fetch(`${origin}/v7/books`)

  await sandbox.waitForOutput(/GET .*200.* \/v7\/books/)
})

test('a mistake that is found when a request needs its schema is logged', async () => {
  const late = `  /late:
    delete:
      parameters: [{ in: query, name: a, schema: { type: strng } }]
      responses: { '204': { description: Done. } }
`
  await write('api.yaml', documentOf('books') + late)
  await write('schemas.yaml', SCHEMAS)
  const sandbox = await startCommand(['api.yaml'], { cwd: folder() })

  await fetch(`${sandbox.base}/late?a=1`, { method: 'DELETE' })

  const output = await sandbox.waitForOutput(/strng/)
  expect(output).toMatch(
    /api\.yaml:13:58: "type" must be one of .* \(got "strng"\)\. Assumed instead: the keyword is ignored\./,
  )
})

test('a reload counts the mistakes of the document', async () => {
  const sandbox = await startWatching()

  await write('api.yaml', documentOf('books', 'pens').replace('list_pens', 'list_books'))

  const command = 'pet-sandbox explain api.yaml --overlay hints.yaml --diagnostics'
  const output = await sandbox.waitForOutput(/Reloaded .*\n.*\n/)
  expect(output).toContain(`  1 mistake in the document so far. List all: ${command}\n`)
})

test.each([
  [['-', '--watch'], 'standard input cannot be watched'],
  [['https://api.example.com/openapi.json', '--watch'], 'a URL cannot be watched'],
  [['--watch'], 'the shipped document cannot be watched'],
])('%j is refused', async (args, reason) => {
  const { code, stderr } = await runCommand(args)

  expect(code).toBe(2)
  expect(stderr).toBe(`pet-sandbox: Cannot use --watch: ${reason}. Name a file as the document.\n`)
})
