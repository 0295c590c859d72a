import { setupServer } from 'msw/node'
import { beforeAll, describe, expect, it } from 'vitest'
import { sendToPort } from '../testing/raw-send.ts'
import { BASE, type Recording, replay, type Trace } from '../testing/replay.ts'
import { recordTrace } from '../testing/trace.ts'
import { listen } from '../testing/transports.ts'
import { toHandlers } from '../transports/msw.ts'

/** Change it, and another story is told. */
const SEED = 3

const REQUESTS = 250

let trace: Trace
let inProcess: Recording

beforeAll(async () => {
  trace = await recordTrace(SEED, REQUESTS)
  inProcess = await replay(trace, async (sandbox) => sandbox.fetch)
})

describe('the recorded trace', () => {
  it('has every kind of answer in it', () => {
    const statuses = new Set(inProcess.answers.map(({ status }) => status))
    const codes = new Set(inProcess.journal.map(({ refusal }) => refusal?.code))

    expect([...statuses].sort((one, other) => one - other)).toEqual([
      0, 200, 201, 204, 400, 401, 404, 405, 413, 415, 429, 500,
    ])
    expect([...codes]).toEqual(
      expect.arrayContaining(['api_key_banned', 'operation_removed', 'connection_reset']),
    )
  })

  it('follows links to further pages, and to new animals', () => {
    const targets = inProcess.journal
      .filter(({ status }) => status === 200)
      .map(({ target }) => target)

    expect(targets).toContainEqual(expect.stringMatching(/cursor=/))
    expect(targets).toContainEqual(expect.stringMatching(/^\/pets\/5\d$/))
  })
})

describe('the same trace gets the same bytes', () => {
  it('from Express, over HTTP', async () => {
    const closing: (() => Promise<void>)[] = []

    const recording = await replay(trace, async (sandbox) => {
      const { port, close } = await listen(sandbox)
      closing.push(close)
      return sendToPort(port)
    })
    await Promise.all(closing.map((close) => close()))

    expect(recording).toEqual(inProcess)
  })

  it('from MSW 2', async () => {
    const server = setupServer()
    server.listen({ onUnhandledRequest: 'error' })

    const recording = await replay(trace, async (sandbox) => {
      server.use(...toHandlers(sandbox, { baseUrl: BASE }))
      return fetch
    })
    server.close()

    expect(recording).toEqual(inProcess)
  })
})
