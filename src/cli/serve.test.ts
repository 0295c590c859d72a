import { EventEmitter } from 'node:events'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import type { Operation } from '../contract/contract.ts'
import { contract } from '../generated/contract.ts'
import { useTemporaryDirectory } from '../testing/temporary-directory.ts'
import { openDashboard, prepareDashboard, requireDashboard } from './serve.ts'

const ORIGIN = 'http://127.0.0.1:4010'
const SETTINGS = { port: 4010, host: '127.0.0.1', force: [], log: 'pretty' } as const

const directory = useTemporaryDirectory()

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Puts a program alone into the search path. It writes its arguments into the file that is returned. */
async function installOpener(name: string, exitCode: number): Promise<string> {
  const written = join(directory(), 'arguments')
  const program = join(directory(), name)
  await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$@" >${written}\nexit ${exitCode}\n`)
  await chmod(program, 0o755)
  vi.stubEnv('PATH', directory())
  return written
}

test.each([
  ['darwin', 'open', [`${ORIGIN}/__sandbox`]],
  ['win32', 'rundll32', ['url.dll,FileProtocolHandler', `${ORIGIN}/__sandbox`]],
  ['linux', 'xdg-open', [`${ORIGIN}/__sandbox`]],
  ['freebsd', 'xdg-open', [`${ORIGIN}/__sandbox`]],
] as const)('the dashboard is opened on %s by %s', async (platform, program, expected) => {
  const written = await installOpener(program, 0)
  const write = vi.fn()

  openDashboard(ORIGIN, platform, { write })

  const read = (): Promise<string> => readFile(written, 'utf8')
  await vi.waitFor(
    async () => expect((await read()).trimEnd().split('\n')).toEqual(expected),
    20_000,
  )
  expect(write).not.toHaveBeenCalled()
})

test.each(['without a browser', 'with an opener that fails'])(
  '%s, a line says which address to open',
  async (name) => {
    if (name === 'without a browser') vi.stubEnv('PATH', directory())
    else await installOpener('xdg-open', 3)
    const write = vi.fn()

    openDashboard(ORIGIN, 'linux', { write })

    await vi.waitFor(() => expect(write).toHaveBeenCalled(), 20_000)
    expect(write.mock.calls).toEqual([
      [`pet-sandbox: No browser was found. Open ${ORIGIN}/__sandbox in yours.\n`],
    ])
  },
)

test('--open without the control interface is refused', () => {
  expect(() => requireDashboard({ ...SETTINGS, open: true, control: false })).toThrow(
    'Cannot use --open: without the control interface there is no dashboard. Leave out --no-control.',
  )
  expect(() => requireDashboard({ ...SETTINGS, open: true })).not.toThrow()
  expect(() => requireDashboard({ ...SETTINGS, control: false })).not.toThrow()
})

test('what the dashboard shows is found out while no requests come', async () => {
  const server = new EventEmitter()
  const read: string[] = []
  const slow = (operation: Operation): Operation =>
    Object.defineProperty({ ...operation }, 'hints', {
      get: () => {
        if (read.includes(operation.id)) return operation.hints
        const end = performance.now() + 15
        while (performance.now() < end);
        read.push(operation.id)
        return operation.hints
      },
    })
  const operations = contract.operations.map(slow)
  const countAfterRequests = async (): Promise<number> => {
    for (let request = 0; request < 12; request += 1) {
      server.emit('request')
      await sleep(60)
    }
    return read.length
  }

  const prepared = prepareDashboard({ ...contract, operations }, server)

  expect(await countAfterRequests()).toBe(0)
  await vi.waitFor(() => expect(read.length).toBeGreaterThan(0), 20_000)
  server.emit('request')
  const before = read.length
  expect(await countAfterRequests()).toBeLessThanOrEqual(before + 1)
  await prepared
  expect(new Set(read)).toEqual(new Set(contract.operations.map(({ id }) => id)))
  expect(server.listenerCount('request')).toBe(0)
})
