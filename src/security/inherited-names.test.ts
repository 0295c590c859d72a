import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import type { Scenario } from '../forcing/scenario.ts'
import { toRules } from '../report/rules.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { exchangeBytes, requestHead } from '../testing/raw-connection.ts'
import { createSandboxServer } from '../transports/server.ts'

/** Names of properties that every object inherits. A careless lookup by such a name finds the inherited value. */
const NAMES = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'] as const

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'names-'))
  const file = join(folder, 'names.yaml')
  await writeFile(file, DOCUMENT)
  contract = await loadContract(file)
  await rm(folder, { recursive: true })
})

/** The paths of a collection whose name, filter, property and path parameter are all `name`. */
function pathsOf(name: string): string {
  return `
  /{version}/shop/${name}x/{${name}}:
    get:
      operationId: first_${name}
      parameters:
        - { name: version, in: path, required: true, schema: { type: string } }
        - { name: ${name}, in: path, required: true, schema: { type: string } }
      responses: { '200': { description: One., content: { application/json: { example: {} } } } }
  /${name}:
    get:
      operationId: ${name}
      parameters: [{ name: ${name}, in: query, schema: { type: string } }]
      responses:
        '200':
          description: All.
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Thing' } }
    post:
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
      responses:
        '201':
          description: Added.
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
  /${name}/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get:
      responses:
        '200':
          description: One.
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
    put:
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
      responses:
        '200':
          description: Replaced.
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
    delete:
      responses: { '204': { description: Removed. } }`
}

/** The path of an operation that needs a header. */
function headerPathOf(name: string): string {
  return `
  /header/${name}:
    get:
      parameters: [{ name: ${name}, in: header, required: true, schema: { type: integer } }]
      responses: { '200': { description: Done. } }`
}

const DOCUMENT = `openapi: 3.1.1
info: { title: Names, version: '1' }
servers: [{ url: 'http://localhost/{constructor}' }]
paths:${NAMES.map(pathsOf).join('')}${NAMES.map(headerPathOf).join('')}
  /elements:
    get:
      responses:
        '200':
          description: All.
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Elements' } }
    post:
      requestBody:
        required: true
        content: { application/xml: { schema: { $ref: '#/components/schemas/Elements' } } }
      responses:
        '201':
          description: Added.
          content: { application/json: { schema: { $ref: '#/components/schemas/Elements' } } }
components:
  schemas:
    Thing:
      type: object
      required: [id]
      properties:
        id: { type: integer, readOnly: true }
        title: { type: string }
        constructor: { type: string, format: constructor }
        toString: { type: string }
        __proto__: { type: object }
    Elements:
      type: object
      required: [id]
      properties:
        id: { type: integer, readOnly: true }
        attribute: { type: string, xml: { attribute: true } }
        ${NAMES.map((name) => `${name}: { type: string }`).join('\n        ')}
`

let contract: Contract

function serve(): Sandbox {
  return createSandbox({ contract, auth: false, records: 2 })
}

function send(sandbox: Sandbox, method: string, path: string, body?: string): Promise<Response> {
  return sandbox.fetch(
    new Request(`http://localhost${path}`, {
      method,
      ...(body !== undefined && { body, headers: { 'Content-Type': 'application/json' } }),
    }),
  )
}

describe('a name that every object inherits works like any other name', () => {
  test.each(NAMES)('as the last segment of a path: %s', async (name) => {
    const sandbox = serve()

    const listed = await send(sandbox, 'GET', `/${name}`)
    const added = await send(sandbox, 'POST', `/${name}`, '{"title":"Emma"}')
    const replaced = await send(sandbox, 'PUT', `/${name}/3`, '{"toString":"x"}')
    const found = await send(sandbox, 'GET', `/${name}/3`)
    const removed = await send(sandbox, 'DELETE', `/${name}/1`)

    expect(await listed.json()).toHaveLength(2)
    expect([added.status, await added.json()]).toEqual([201, { id: 3, title: 'Emma' }])
    expect([replaced.status, await found.json()]).toEqual([200, { id: 3, toString: 'x' }])
    expect(removed.status).toBe(204)
    expect(await sandbox.collection(name).list()).toMatchObject([{ id: 2 }, { id: 3 }])
  })

  test('as a filter', async () => {
    const sandbox = serve()
    await send(sandbox, 'POST', '/toString', '{"title":"Emma","toString":"x"}')

    const found = await send(sandbox, 'GET', '/toString?toString=x')
    const withInheritedValue = await send(
      sandbox,
      'GET',
      `/toString?toString=${encodeURIComponent(String({}.toString))}`,
    )

    expect(await found.json()).toMatchObject([{ id: 3, toString: 'x' }])
    expect(await withInheritedValue.json()).toEqual([])
  })

  test('as a property of a request body', async () => {
    const sandbox = serve()

    const replaced = await send(sandbox, 'PUT', '/valueOf/1', '{"__proto__":{"a":1},"title":"x"}')

    expect(await replaced.text()).toBe('{"id":1,"title":"x","__proto__":{"a":1}}')
    expect(Object.getPrototypeOf(await sandbox.collection('valueOf').get(1))).toBe(Object.prototype)
  })

  test('as a path parameter', async () => {
    const sandbox = serve()

    const responses = await Promise.all(
      NAMES.map((name) => send(sandbox, 'GET', `/v1/shop/${name}x/7`)),
    )

    expect(responses.map(({ status }) => status)).toEqual(NAMES.map(() => 200))
  })

  test.each(NAMES)('as a header parameter of requests over HTTP: %s', async (name) => {
    const path = `/header/${name}`
    const server = createSandboxServer(serve())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const send = async (...headers: readonly string[]): Promise<number | undefined> => {
      const head = requestHead(`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers)
      const port = typeof address === 'object' && address ? address.port : 0
      return (await exchangeBytes(port, [head]))[0]?.status
    }

    const statuses = [
      await send(),
      await send(`${name}: 1`),
      await send(`${name}: text`),
      await send('Other: 1'),
    ]
    await new Promise((resolve) => server.close(resolve))

    expect(statuses).toEqual([400, 200, 400, 400])
  })

  test('as elements and attributes of a request body in XML', async () => {
    const sandbox = createSandbox({ contract, auth: false, records: 0 })
    const values = Object.fromEntries(NAMES.map((name) => [name, `${name} < 1`]))
    const elements = NAMES.map((name) => `<${name}>${name} &lt; 1</${name}>`).join('')

    const added = await sandbox.fetch(
      new Request('http://localhost/elements', {
        method: 'POST',
        headers: { 'Content-Type': 'application/xml' },
        body: `<a attribute="x">${elements}</a>`,
      }),
    )

    expect(added.status).toBe(201)
    expect(await added.json()).toEqual({ id: 1, attribute: 'x', ...values })
  })

  test('as a plan, a key, a scenario and a world', async () => {
    const windows = JSON.parse(
      '{"__proto__":{"minute":1,"day":9},"constructor":{"minute":2,"day":9}}',
    )
    const keys = JSON.parse('{"constructor":"__proto__","valueOf":"constructor"}')
    const scenarios: Readonly<Record<string, Scenario>> = JSON.parse(
      '{"__proto__":{"description":"a path","spent":{"constructor":{"minute":1}}},"valueOf":{"description":"none"}}',
    )
    const sandbox = createSandbox({ plans: windows, keys, scenarios })
    const request = async (key: string): Promise<[number, string | null]> => {
      const { status, headers } = await sandbox.fetch(
        new Request('http://localhost/v1/pets', { headers: { Authorization: `Bearer ${key}` } }),
      )
      return [status, headers.get('X-RateLimit-Limit')]
    }

    const before = [
      await request('constructor'),
      await request('valueOf'),
      await request('toString'),
    ]
    await sandbox.play('__proto__')
    sandbox.world('constructor')
    const { worlds } = await sandbox.snapshot()

    expect(before).toEqual([
      [200, '1'],
      [200, '2'],
      [401, '60'],
    ])
    expect(await request('constructor')).toEqual([429, '1'])
    expect(Object.keys(worlds ?? {})).toEqual(['constructor'])
  })

  test('as a snapshot', async () => {
    const sandbox = serve()
    await send(sandbox, 'POST', '/__proto__', '{"title":"Emma"}')
    const other = serve()

    await other.restore(JSON.parse(JSON.stringify(await sandbox.snapshot())))

    expect(await other.collection('__proto__').count()).toBe(3)
  })

  test('as a rule of the report', () => {
    expect(() => toRules(['constructor'])).toThrow('unknown rule "constructor"')
  })
})
