import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  runCommand,
  type StartedCommand,
  startCommand,
  stopCommands,
} from '../../testing/command.ts'
import { type StartedRedis, startRedis, stopRedis } from '../../testing/redis/start-redis.ts'
import { beginRequest, untilClosed } from '../../testing/request-in-progress.ts'

const FREE = { Authorization: 'Bearer sk_sandbox_free' }
const BIN = fileURLToPath(new URL('../../../bin/pet-sandbox.js', import.meta.url))
const PASSWORD = 'hunter2'

let redis: StartedRedis
let store = ''

describe('servers with one store', () => {
  beforeEach(async () => {
    redis = await startRedis({ password: PASSWORD, appendOnly: true })
    store = redis.address
  })

  afterEach(async () => {
    await stopCommands()
    await stopRedis()
  })

  /** Starts a server in a process of its own. */
  function start(...args: string[]): Promise<StartedCommand> {
    return startCommand(args, {
      program: [process.execPath, BIN],
      env: { PET_SANDBOX_STORE: store },
    })
  }

  function metricsOf({ output }: StartedCommand): string {
    return /Metrics: (\S+)/.exec(output())?.[1] ?? ''
  }

  test('act as one sandbox, which one of them can steer for both', async () => {
    const [one, two] = await Promise.all([start(), start()])
    const body = JSON.stringify({ name: 'Rex', categoryId: 2 })
    const headers = { ...FREE, 'Content-Type': 'application/json' }

    const created = await fetch(`${one.base}/pets`, { method: 'POST', headers, body })
    const { id } = await created.json()
    const read = await fetch(`${two.base}/pets/${id}`, { headers: FREE })
    const force = new URL('/__sandbox/outcomes', one.base)
    await fetch(force, { method: 'POST', headers, body: '{"outcome":"unavailable","times":1}' })
    const forced = await fetch(`${two.base}/pets`, { headers: FREE })
    const served = await fetch(`${one.base}/pets`, { headers: FREE })

    expect(created.status).toBe(201)
    expect(await read.json()).toMatchObject({ id, name: 'Rex' })
    expect([forced.status, served.status]).toEqual([503, 200])
  })

  test('name the store without its password and themselves, in the start message and in JSON', async () => {
    const pretty = await start('--instance', 'one')
    const json = await start('--instance', 'two', '--log', 'json')
    await fetch(`${json.base}/pets`, { headers: FREE })
    await json.waitForOutput(/"listPets"/)
    const ends = [await pretty.stop(), await json.stop()]
    const lines = json
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))

    expect(pretty.output()).toContain(`State: in the store 127.0.0.1:${redis.port}, instance one\n`)
    expect(lines[0]).toMatchObject({ store: `127.0.0.1:${redis.port}`, instance: 'two' })
    expect(lines.at(-1)).toMatchObject({ operation: 'listPets', instance: 'two' })
    expect(JSON.stringify(ends)).not.toContain(PASSWORD)
  })

  test('are live and not ready while the store is away, and ready again when it is back', async () => {
    const server = await start('--metrics-port', '0')
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(new URL(path, server.base), { headers: FREE })).status
    const health = '/__sandbox/health'
    const before = await statusOf(`${health}/ready`)

    await redis.kill()
    const during = [await statusOf(`${health}/ready`), await statusOf(`${health}/live`)]
    const refused = await fetch(`${server.base}/pets`, { headers: FREE })
    await redis.restart()
    await expect.poll(() => statusOf(`${health}/ready`)).toBe(200)
    const metrics = await (await fetch(metricsOf(server))).text()

    expect(before).toBe(200)
    expect(during).toEqual([503, 200])
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBeTruthy()
    expect(metrics).toMatch(/^pet_sandbox_store_calls_total\{call="\w+"\} \d+$/m)
    expect(metrics).toMatch(/^pet_sandbox_requests_total\{.*status="503"\} 1$/m)
  })

  test.each([
    ['is full', 'CONFIG SET maxmemory 1', 'CONFIG SET maxmemory 0'],
    ['is a replica', 'REPLICAOF 127.0.0.1 1', 'REPLICAOF NO ONE'],
  ])('are not ready while the store %s', async (_fault, cause, end) => {
    const server = await start()
    const client = new Redis(redis.address)
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(new URL(path, server.base), { headers: FREE })).status

    await run(client, cause)
    const during = [await statusOf('/__sandbox/health/ready'), await statusOf('/v1/pets')]
    await run(client, end)

    expect(during).toEqual([503, 503])
    await expect.poll(() => statusOf('/__sandbox/health/ready')).toBe(200)
    client.disconnect()
  })

  test('end with 0 after a signal, while a client follows the journal and a request is in progress', async () => {
    const server = await start()
    const events = await fetch(new URL('/__sandbox/journal/events', server.base))
    const headers = { ...FREE, 'Content-Type': 'application/json' }
    const request = await beginRequest(`${server.base}/pets`, { method: 'POST', headers })

    const ended = server.stop()
    await untilClosed(server)
    request.end('{"name":"Rex","categoryId":1}')

    const { status } = await request.response
    const { code, stderr } = await ended
    expect(status).toBe(201)
    expect(await events.text()).toContain('retry: 1000\n\n')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  test('refuse to start when they differ, or have the wrong password, in one line without the password', async () => {
    await start()
    const env = { PET_SANDBOX_STORE: store }
    const wrong = { PET_SANDBOX_STORE: store.replace(PASSWORD, 'letmein') }

    const differs = await runCommand(['--port', '0', '--seed', '7'], { env })
    const other = await runCommand(['--port', '0', '--seed', '7'], { env: wrong })

    expect(differs).toMatchObject({ code: 2, stdout: '' })
    expect(differs.stderr).toMatch(/^pet-sandbox: Cannot use the store: .*--store-prefix.*\n$/)
    expect(other).toMatchObject({ code: 2, stdout: '' })
    expect(other.stderr).toMatch(/^pet-sandbox: Cannot use the store at .*password.*\n$/)
    expect(differs.stderr + other.stderr).not.toMatch(/hunter2|letmein/)
  })
})

function run(client: Redis, command: string): Promise<unknown> {
  const [name = '', ...args] = command.split(' ')
  return client.call(name, ...args)
}
