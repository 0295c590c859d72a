import { setupServer } from 'msw/node'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadContract } from '../document/load-contract.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { listen } from '../testing/connections.ts'
import { printTrace } from '../testing/golden-trace.ts'
import { createParityReference } from '../testing/parity.ts'
import {
  type ReplayResult,
  replay,
  replaySteps,
  TRACE_BASE_URL,
  type Trace,
} from '../testing/replay.ts'
import { sendToPort } from '../testing/send-to-port.ts'
import { toHandlers } from '../transports/msw.ts'

let trace: Trace
let inProcess: ReplayResult

beforeAll(async () => {
  ;({ trace, inProcess } = await createParityReference())
})

describe('the parity trace', () => {
  it('contains every status and every special kind of refusal', () => {
    const statuses = new Set(inProcess.responses.map(({ status }) => status))
    const codes = new Set(inProcess.journal.map(({ refusal }) => refusal?.code))

    expect([...statuses].sort((one, other) => one - other)).toEqual([
      0, 200, 201, 204, 400, 401, 404, 405, 413, 415, 429, 500, 503,
    ])
    expect([...codes]).toEqual(
      expect.arrayContaining(['api_key_banned', 'operation_removed', 'connection_reset']),
    )
  })

  it('contains forced outcomes of every kind', () => {
    const forced = new Set(inProcess.journal.map((exchange) => exchange.forced))

    expect([...forced]).toEqual(
      expect.arrayContaining([
        'reset',
        'unavailable',
        'malformed',
        'slow',
        'bad-request',
        'banned',
      ]),
    )
  })

  it('follows links to next pages and to created animals', () => {
    const targets = inProcess.journal
      .filter(({ status }) => status === 200)
      .map(({ target }) => target)

    expect(targets).toContainEqual(expect.stringMatching(/cursor=/))
    expect(targets).toContainEqual(expect.stringMatching(/^\/pets\/5\d$/))
  })
})

describe('the golden trace', () => {
  // Written by `vitest --update`. Explain each change of the file in its commit message.
  it('has the status, headers and body of every response', async () => {
    await expect(printTrace(trace, inProcess)).toMatchFileSnapshot('golden-trace.txt')
  })
})

describe('the parity trace gets the same bytes as in process', () => {
  it('from the document in its file', async () => {
    const contract = await loadContract('openapi.yaml')

    const { options, steps } = trace
    const sandbox = createSandbox({ ...options, contract })
    const result = await replaySteps(steps, sandbox, (request) => sandbox.fetch(request))

    expect(result).toEqual(inProcess)
  })

  it('over HTTP', async () => {
    const closeFunctions: (() => Promise<void>)[] = []

    const result = await replay(trace, async (sandbox) => {
      const { port, close } = await listen(sandbox)
      closeFunctions.push(close)
      return sendToPort(port)
    })
    await Promise.all(closeFunctions.map((close) => close()))

    expect(result).toEqual(inProcess)
  })

  it('from MSW 2', async () => {
    const server = setupServer()
    server.listen({ onUnhandledRequest: 'error' })

    const result = await replay(trace, async (sandbox) => {
      server.use(...toHandlers(sandbox, { baseUrl: TRACE_BASE_URL }))
      return fetch
    })
    server.close()

    expect(result).toEqual(inProcess)
  })
})
