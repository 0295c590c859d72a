import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type CommandOptions,
  type CommandResult,
  launchCommand,
  runCommand,
  stopCommands,
} from '../testing/command.ts'
import { serveHttp, stopServers } from '../testing/servers.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'

const PROGRAM = [process.execPath, resolve('bin/pet-sandbox.js')] as const
const ORDER = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }
const json = (schema: object): object => ({
  description: 'An answer.',
  content: { 'application/json': { schema } },
})
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1' },
  paths: {
    '/orders/{id}/refund': {
      parameters: [id],
      post: {
        operationId: 'refund',
        responses: { 200: json(ORDER), 404: { description: 'None.' }, 409: { description: 'No.' } },
      },
    },
  },
}
const SETUP = resolve('src/testing/guide/examples/verify-setup.mjs')

const folder = useTemporaryDirectory()

afterEach(async () => {
  await stopCommands()
  await stopServers()
})

interface OrderService {
  readonly origin: string
  /** What its administration did, and what it refunded. */
  readonly events: string[]
}

/** A service whose administration makes shops, and paid orders that can be refunded once. `onRefund` is called with each request. */
async function serveOrders(
  onRefund: () => Promise<void> | void = () => undefined,
): Promise<OrderService> {
  const events: string[] = []
  const paid = new Set<string>()
  const { origin } = await serveHttp(async (request, response) => {
    const { method, url = '' } = request
    const [, order = ''] = /^\/v1\/orders\/([^/]+)\/refund$/.exec(url) ?? []
    let status = 200
    let body: object = { id: `made-${events.length + 1}` }
    if (order !== '') {
      await onRefund()
      const isRefunded = request.headers['x-shop'] === 'made-1' && paid.delete(order)
      status = isRefunded && method === 'POST' ? 200 : 404
      body = { id: order }
      if (status === 200) events.push(`refunded ${order}`)
    } else if (url.startsWith('/admin')) {
      events.push(`${method} ${url}`)
      paid.add(`made-${events.length}`)
    } else status = 404
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  return { origin, events }
}

/** How the command runs: its folder has the document, and a log of the commands. */
async function options({ origin }: OrderService): Promise<CommandOptions> {
  await writeFile(join(folder(), 'orders.json'), JSON.stringify(DOCUMENT))
  return { cwd: folder(), program: PROGRAM, env: { ADMIN_URL: `${origin}/admin` } }
}

async function verify(service: OrderService, ...args: readonly string[]): Promise<CommandResult> {
  const base = `${service.origin}/v1`
  return await runCommand(['verify', base, 'orders.json', ...args], await options(service))
}

async function log(): Promise<readonly string[]> {
  const text = await readFile(join(folder(), 'log.txt'), 'utf8').catch(() => '')
  return text.trim().split('\n')
}

describe('verify --setup', () => {
  test('exercises an operation on the record that its state prepared, and ends with tearDown', async () => {
    const service = await serveOrders()

    const { stdout, stderr } = await verify(service, '--allow-writes', '--setup', SETUP)

    expect(stderr).toBe('')
    expect(stdout).toContain('Exercised 1 of 1 operations.')
    const { events } = service
    expect(events.slice(0, 2)).toEqual(['POST /admin/shops', 'POST /admin/shops/made-1/orders'])
    expect(events).toContain('refunded made-2')
    expect(events.at(-1)).toBe('DELETE /admin/shops/made-1')
  })

  test('prepares another record after the operation succeeded', async () => {
    const service = await serveOrders()

    await verify(service, '--allow-writes', '--setup', SETUP)

    const refunds = service.events.filter((event) => event.startsWith('refunded'))
    expect(refunds.length).toBeGreaterThan(0)
    expect(new Set(refunds).size).toBe(refunds.length)
  })

  test('calls nothing for --dry-run', async () => {
    const service = await serveOrders()

    await verify(service, '--dry-run', '--allow-writes', '--setup', SETUP)

    expect(service.events).toEqual([])
  })

  test.each([
    ['export default { setup() {} }', 'it has no default export with setUp, tearDown or states'],
    ["export default { setUp() { throw new Error('no database') } }", 'no database'],
    ['export default { setUp: () => 7 }', 'what setUp returned: it must be an object'],
    ['export default { setUp: () => ({ keys: 1 }) }', 'unknown option "keys". Did you mean "key"?'],
  ])('is refused with %s', async (code, message) => {
    await writeFile(join(folder(), 'bad.mjs'), code)

    const result = await verify(await serveOrders(), '--setup', 'bad.mjs')

    expect(result.code).toBe(2)
    expect(result.stderr).toContain(message)
    expect(result.stderr.trim().split('\n')).toHaveLength(1)
  })

  test('says why a state failed, and goes on', async () => {
    const code = "export default { states: { refund() { throw new Error('no card') } } }"
    await writeFile(join(folder(), 'bad.mjs'), code)

    const { stdout } = await verify(
      await serveOrders(),
      ...['--allow-writes', '--setup', 'bad.mjs'],
    )

    expect(stdout).toContain('its state failed: no card: refund')
  })
})

describe('verify --before and --after', () => {
  const after = 'echo "after $PET_SANDBOX_TARGET" >> log.txt'

  test('run commands before the first request and at the end', async () => {
    const service = await serveOrders()
    const before = 'echo before; echo before >> log.txt'
    const given = ['--allow-writes', '--json', '--setup', SETUP]

    const result = await verify(service, ...given, '--before', before, '--after', after)

    expect(() => JSON.parse(result.stdout)).not.toThrow()
    expect(result.stderr).toBe('before\n')
    expect(await log()).toEqual(['before', `after ${service.origin}/v1`])
  })

  test('send no request after a command that failed, and still run the last one', async () => {
    const service = await serveOrders()

    const result = await verify(service, '--before', 'exit 3', '--after', after, '--setup', SETUP)

    expect(result.code).toBe(2)
    expect(result.stderr).toBe(
      'pet-sandbox: Cannot run the command of --before: it ended with exit code 3. It was: exit 3\n',
    )
    expect(service.events).toEqual([])
    expect(await log()).toEqual([`after ${service.origin}/v1`])
  })

  test('run the last command after Ctrl+C', async () => {
    let stop = (): Promise<void> => Promise.resolve()
    const service = await serveOrders(() => stop())
    const args = ['--allow-writes', '--setup', SETUP, '--after', after]
    const command = launchCommand(
      ['verify', `${service.origin}/v1`, 'orders.json', ...args],
      await options(service),
    )

    stop = () =>
      new Promise((resolve) => {
        command.child.stderr?.once('data', () => resolve())
        command.child.kill('SIGINT')
      })

    expect((await command.ended).code).toBe(130)
    expect(service.events.at(-1)).toBe('DELETE /admin/shops/made-1')
    expect(await log()).toEqual([`after ${service.origin}/v1`])
  })
})
