import { setupServer } from 'msw/node'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { findBrowser } from '../testing/browser.ts'
import { bundleForPage } from '../testing/bundle.ts'
import { listen } from '../testing/connections.ts'
import { printTrace } from '../testing/golden-trace.ts'
import { openPage } from '../testing/page.ts'
import { type ReplayResult, replay, TRACE_BASE_URL, type Trace } from '../testing/replay.ts'
import { sendToPort } from '../testing/send-to-port.ts'
import { recordParityTrace } from '../testing/trace.ts'
import { toHandlers } from '../transports/msw.ts'

let trace: Trace
let inProcess: ReplayResult

beforeAll(async () => {
  trace = await recordParityTrace()
  inProcess = await replay(trace, async (sandbox) => sandbox.fetch)
})

describe('the recorded trace', () => {
  it('has every kind of answer in it', () => {
    const statuses = new Set(inProcess.responses.map(({ status }) => status))
    const codes = new Set(inProcess.journal.map(({ refusal }) => refusal?.code))

    expect([...statuses].sort((one, other) => one - other)).toEqual([
      0, 200, 201, 204, 400, 401, 404, 405, 413, 415, 429, 500, 503,
    ])
    expect([...codes]).toEqual(
      expect.arrayContaining(['api_key_banned', 'operation_removed', 'connection_reset']),
    )
  })

  it('has requests forced to every outcome that leaves an answer, and to a reset', () => {
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

  it('follows links to further pages, and to new animals', () => {
    const targets = inProcess.journal
      .filter(({ status }) => status === 200)
      .map(({ target }) => target)

    expect(targets).toContainEqual(expect.stringMatching(/cursor=/))
    expect(targets).toContainEqual(expect.stringMatching(/^\/pets\/5\d$/))
  })
})

describe('the golden trace', () => {
  // Written by `vitest --update`. A commit that changes this file says why.
  it('has the recorded status, headers and body for every request', async () => {
    await expect(printTrace(trace, inProcess)).toMatchFileSnapshot('golden-trace.txt')
  })
})

describe('a page that runs the sandbox', () => {
  it('loads no faker before records are to be made', async () => {
    const { modules } = await bundleForPage('page-script', 2)

    expect(modules).toContainEqual(expect.stringContaining('src/engine/answer.ts'))
    expect(modules.filter((module) => /faker|seed(-value)?\.ts|yaml/.test(module))).toEqual([])
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
      server.use(...toHandlers(sandbox, { baseUrl: TRACE_BASE_URL }))
      return fetch
    })
    server.close()

    expect(recording).toEqual(inProcess)
  })

  it.skipIf(!findBrowser())(
    "from MSW 2's Service Worker in Chromium, in a page without eval",
    async () => {
      const { page, pageErrors, close } = await openPage(2)
      onTestFinished(close)

      const recording = await page.evaluate((told) => sandboxPage.replay(told), trace)

      expect(recording).toEqual(inProcess)
      expect(pageErrors).toEqual([])
    },
  )
})
