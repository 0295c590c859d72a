import { afterEach, expect, test } from 'vitest'
import { runCommand, type StartedCommand, startCommand, stopCommands } from '../testing/command.ts'
import { hidePackage } from '../testing/module-hooks.ts'
import { beginRequest, untilClosed } from '../testing/request-in-progress.ts'

const FREE = { Authorization: 'Bearer sk_sandbox_free' }
const FROM_OTHER_MACHINE = { 'X-Forwarded-For': '203.0.113.7' }

afterEach(stopCommands)

/** The address of the metrics on their own port. */
function metricsAddress({ output }: StartedCommand): string {
  return /Metrics: (\S+)/.exec(output())?.[1] ?? ''
}

test('the metrics count from their first request on, or from the start with --metrics-port', async () => {
  const lazy = await startCommand()
  const eager = await startCommand(['--metrics-port', '0'])
  const counted = 'pet_sandbox_requests_total{operation="listPets",method="GET",status="200"}'
  const lazyMetrics = new URL('/__sandbox/metrics', lazy.base)

  await fetch(`${lazy.base}/pets`, { headers: FREE })
  await fetch(`${eager.base}/pets`, { headers: FREE })
  const first = await fetch(lazyMetrics)
  await fetch(`${lazy.base}/pets`, { headers: FREE })
  const second = await (await fetch(lazyMetrics)).text()
  const ofPort = await (await fetch(metricsAddress(eager))).text()

  expect(first.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  expect(await first.text()).not.toContain(counted)
  expect(second).toContain(`${counted} 1\n`)
  expect(ofPort).toContain(`${counted} 1\n`)
})

test('other machines need the token of the control interface for /__sandbox/metrics, and none for the port of the metrics', async () => {
  const env = { PET_SANDBOX_CONTROL_TOKEN: 'sesame' }
  const sandbox = await startCommand(['--metrics-port', '0'], { env })
  const metrics = new URL('/__sandbox/metrics', sandbox.base)
  const statusOf = async (address: string | URL, headers = {}): Promise<number> =>
    (await fetch(address, { headers: { ...FROM_OTHER_MACHINE, ...headers } })).status

  expect(await statusOf(metrics)).toBe(401)
  expect(await statusOf(metrics, { Authorization: 'Bearer wrong' })).toBe(401)
  expect(await statusOf(metrics, { Authorization: 'Bearer sesame' })).toBe(200)
  expect(await statusOf(metricsAddress(sandbox))).toBe(200)
  expect(await statusOf(new URL('/other', metricsAddress(sandbox)))).toBe(404)
})

test('without the control interface there are no metrics below /__sandbox', async () => {
  const sandbox = await startCommand(['--no-control'])

  const { status } = await fetch(new URL('/__sandbox/metrics', sandbox.base))

  expect(status).toBe(404)
})

test('while the server stops, its port for metrics answers that it is live and not ready', async () => {
  const sandbox = await startCommand(['--metrics-port', '0'])
  const probe = async (path: string): Promise<number> =>
    (await fetch(new URL(path, metricsAddress(sandbox)))).status
  const before = await probe('/__sandbox/health/ready')
  const headers = { ...FREE, 'Content-Type': 'application/json' }
  const request = await beginRequest(`${sandbox.base}/pets`, { method: 'POST', headers })

  const ended = sandbox.stop()
  await untilClosed(sandbox)
  const during = [await probe('/__sandbox/health/ready'), await probe('/__sandbox/health/live')]
  request.end('{"name":"Rex","categoryId":1}')

  expect(before).toBe(200)
  expect(during).toEqual([503, 200])
  expect((await request.response).status).toBe(201)
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
})

test('without prom-client, --metrics-port is refused and a request for metrics gets a 500, which both name the package', async () => {
  const env = { NODE_OPTIONS: hidePackage('prom-client') }
  const message =
    'Cannot serve metrics: the package prom-client is not installed. Run: npm install prom-client'
  const sandbox = await startCommand([], { env })

  const refused = await runCommand(['--port', '0', '--metrics-port', '0'], { env })
  const response = await fetch(new URL('/__sandbox/metrics', sandbox.base))

  expect(refused).toEqual({ code: 2, stdout: '', stderr: `pet-sandbox: ${message}\n` })
  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({ code: 'internal_error', message })
})

test('a port for metrics that is in use ends the start with one line', async () => {
  const sandbox = await startCommand(['--metrics-port', '0'])
  const { port } = new URL(metricsAddress(sandbox))

  const { code, stderr } = await runCommand(['--port', '0', '--metrics-port', port])

  expect(code).toBe(2)
  expect(stderr).toBe(
    `pet-sandbox: Cannot listen on 127.0.0.1:${port}: another program uses this port. Stop it, or choose another port with --metrics-port (0: any free one).\n`,
  )
})
