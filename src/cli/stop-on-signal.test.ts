import { afterEach, expect, test } from 'vitest'
import { runCommand, startCommand, stopCommands } from '../testing/command.ts'

const FREE = { Authorization: 'Bearer sk_sandbox_free' }

afterEach(stopCommands)

test('with --drain, a server that got a signal is not ready and serves further requests, whose connections it closes', async () => {
  const sandbox = await startCommand(['--drain', '3s'])
  const get = (path: string): Promise<Response> =>
    fetch(new URL(path, sandbox.base), { headers: FREE })
  const events = await get('/__sandbox/journal/events')
  const before = await get('/v1/pets/1')

  const ended = sandbox.stop()
  await expect
    .poll(async () => (await get('/__sandbox/health/ready')).status, { timeout: 3000 })
    .toBe(503)
  const during = await get('/v1/pets/2')

  expect(before.headers.get('connection')).toBe('keep-alive')
  expect([during.status, during.headers.get('connection')]).toEqual([200, 'close'])
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
  expect(await events.text()).toMatch(/\/pets\/1"[\s\S]*\/pets\/2"/)
  await expect(get('/v1/pets')).rejects.toThrow('fetch failed')
})

test.each(['soon', '-1s', '11m'])('--drain %s is refused', async (time) => {
  const { code, stderr } = await runCommand([`--drain=${time}`])

  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `pet-sandbox: Cannot use --drain: it must be a duration from 0 to 10m (got ${time}). Write it as 5s.\n`,
  })
})
