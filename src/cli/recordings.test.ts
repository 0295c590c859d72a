import { appendFile, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import { contract } from '../generated/contract.ts'
import { createSandbox } from '../index.ts'
import { type Report, report } from '../report/report.ts'
import { RECORDING_FILE, RECORDINGS_VARIABLE } from '../sandbox/recording.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { Recorder, RecordingDirectory } from './recordings.ts'

let opened: RecordingDirectory

beforeEach(async () => {
  opened = await RecordingDirectory.open()
  vi.stubEnv(RECORDINGS_VARIABLE, opened.folder)
})

afterEach(async () => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  await opened.close()
})

function send(sandbox: Sandbox, path = '/v1/pets', key = 'sk_sandbox_free'): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}` }
  return sandbox.fetch(new Request(`http://localhost${path}`, { headers }))
}

async function reported(): Promise<Report> {
  const { recordings, notices } = await opened.read(contract)
  return report(recordings, contract, {}, notices)
}

async function recordedFiles(): Promise<readonly string[]> {
  const folders = await readdir(opened.folder)
  return folders.map((folder) => join(opened.folder, folder, RECORDING_FILE))
}

it('keys with the same last characters are different clients, whose quotas are their own', async () => {
  const keys = { 'alice-key-test': 'free', 'bobby-key-test': 'free' }
  const sandbox = createSandbox({ keys, plans: { free: { minute: 2, day: 9 } } })
  for (let sent = 0; sent < 3; sent += 1) await send(sandbox, '/v1/pets', 'alice-key-test')
  for (let sent = 0; sent < 2; sent += 1) await send(sandbox, '/v1/pets', 'bobby-key-test')

  const { conduct, findings } = await reported()

  expect(conduct.map(({ key, requests }) => [key, requests])).toEqual([
    ['…test', 3],
    ['…test (2)', 2],
  ])
  expect(findings).toEqual([])
})

it('each sandbox of a process is a client timeline of its own', async () => {
  const [one, other] = [createSandbox(), createSandbox()]

  await send(one)
  await send(other)
  await send(one, '/v1/pets/1')
  one.reset()
  await send(one)
  await send(one, '/worlds/cart/v1/pets')

  const { requests, recordings, notices, entries } = await reported()
  expect({ requests, recordings, notices }).toEqual({ requests: 5, recordings: 4, notices: [] })
  const first = `sandbox 1 in process ${process.pid}`
  expect(entries.map(({ id, target, world }) => [id, target, world])).toEqual([
    ['1:1', '/pets', first],
    ['1:2', '/pets/1', first],
    ['2:1', '/pets', `${first}, after reset 1`],
    ['3:1', '/pets', `${first}, world cart`],
    ['4:1', '/pets', `sandbox 2 in process ${process.pid}`],
  ])
})

it('sandboxes whose first requests have the same file time keep their order', async () => {
  const keys = ['enterprise', 'pro', 'free', 'business', 'banned', 'rate_limited']
  for (const key of keys) await send(createSandbox(), '/v1/pets', `sk_sandbox_${key}`)
  for (const file of await recordedFiles()) await utimes(dirname(file), 1, 1)

  const { recordings } = await opened.read(contract)

  const firstKeys = recordings.map(([first]) => first?.key)
  expect(firstKeys).toEqual(keys.map((key) => expect.stringMatching(`${key.slice(-4)}$`)))
})

it('sandboxes with the same fake clock are separate recordings, and their waits follow the fake clock', async () => {
  vi.useFakeTimers({ now: Date.parse('2030-01-01T00:00:00Z') })
  const sandboxes = [createSandbox(), createSandbox()]
  for (const sandbox of sandboxes) sandbox.force('rate-limited', { times: 1, retryAfter: 30 })

  for (const sandbox of sandboxes) await send(sandbox)
  vi.advanceTimersByTime(30_000)
  for (const sandbox of sandboxes) await send(sandbox)

  const { requests, recordings, conduct, verdict } = await reported()
  expect({ requests, recordings, verdict }).toEqual({
    requests: 4,
    recordings: 2,
    verdict: 'passed',
  })
  expect(conduct.map(({ recording, requests }) => [recording, requests])).toEqual([
    [1, 2],
    [2, 2],
  ])
})

it('recordings contain no complete API key, and only their owner can read them', async () => {
  await send(createSandbox(), '/v1/pets', 'sk_live_do_not_tell')

  const [file = ''] = await recordedFiles()
  const text = await readFile(file, 'utf8')
  expect(text).toContain('…tell')
  expect(text).not.toContain('do_not')
  expect((await stat(opened.folder)).mode & 0o077).toBe(0)
  expect((await stat(file)).mode & 0o077).toBe(0)
})

it('an incomplete line is ignored, and the report says so', async () => {
  const sandbox = createSandbox()
  await send(sandbox)
  const [file = ''] = await recordedFiles()
  await appendFile(file, '{"world":"default","exchange":{"id":2,"ti')

  const { requests, notices } = await reported()

  expect(requests).toBe(1)
  expect(notices).toEqual(['1 request is ignored: a process ended while it recorded.'])
})

it('a file of another format is ignored, and the report says what to do', async () => {
  await send(createSandbox())
  const [file = ''] = await recordedFiles()
  await writeFile(file, '{"format":2}\n{}\n')

  const { requests, notices } = await reported()

  expect(requests).toBe(0)
  expect(notices).toEqual([
    'The recordings of 1 sandbox cannot be read. Install the same version of pet-sandbox for "exec" and the tests.',
  ])
})

it('requests to a sandbox of another API are ignored, and the report names that API', async () => {
  const library = createSandbox({
    contract: await loadContract('src/testing/library.yaml'),
    auth: false,
  })
  await library.fetch(new Request('http://localhost/api/books'))

  const { requests, notices } = await reported()

  expect(requests).toBe(0)
  expect(notices).toEqual([
    '1 request was sent to sandboxes of Library and ignored. Name the document with --openapi.',
  ])
})

it('a sandbox answers as before when it cannot write its recording', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const sandbox = createSandbox()
  await rm(opened.folder, { recursive: true })

  const statuses = [(await send(sandbox)).status, (await send(sandbox)).status]

  expect(statuses).toEqual([200, 200])
  expect(warn).toHaveBeenCalledTimes(1)
  warn.mockRestore()
})

it('a sandbox records nothing when exec does not ask for it', async () => {
  vi.stubEnv(RECORDINGS_VARIABLE, undefined)

  await send(createSandbox())

  expect(await readdir(opened.folder)).toEqual([])
})

const LIST = 'http://localhost/v1/pets'

it('requests before a reset are kept in a recording of their own', async () => {
  const sandbox = createSandbox({ journal: 1 })
  const recorder = new Recorder(contract)
  sandbox.worlds.onExchange(recorder.listen)

  await sandbox.fetch(new Request(LIST))
  await sandbox.fetch(new Request(LIST))
  sandbox.reset()
  await sandbox.fetch(new Request(LIST))
  await sandbox.fetch(new Request('http://localhost/worlds/cart/v1/pets'))

  const { requests, recordings, notices, entries } = report(recorder.recordings, contract)
  expect({ requests, recordings, notices }).toEqual({ requests: 4, recordings: 3, notices: [] })
  expect(entries.map(({ id, world }) => [id, world])).toEqual([
    ['1:1', undefined],
    ['1:2', undefined],
    ['2:1', 'default, after reset 1'],
    ['3:1', 'cart'],
  ])
})

it('a request in progress during a reset belongs to the recording before it', async () => {
  const sandbox = createSandbox({ latency: 50 })
  const recorder = new Recorder(contract)
  sandbox.worlds.onExchange(recorder.listen)

  await sandbox.fetch(new Request(LIST))
  const late = sandbox.fetch(new Request(LIST))
  sandbox.reset()
  await Promise.all([late, sandbox.fetch(new Request(LIST))])

  expect(recorder.recordings.map(({ length }) => length)).toEqual([2, 1])
})
