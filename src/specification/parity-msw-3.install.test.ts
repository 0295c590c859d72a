import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { findBrowser } from '../testing/browser.ts'
import { bundleForNode } from '../testing/bundle.ts'
import { runOnModernNode } from '../testing/modern-node.ts'
import { openPage } from '../testing/page.ts'
import { type ReplayResult, replay, type Trace } from '../testing/replay.ts'
import { recordParityTrace } from '../testing/trace.ts'

let trace: Trace
let inProcess: ReplayResult

beforeAll(async () => {
  trace = await recordParityTrace()
  inProcess = await replay(trace, async (sandbox) => sandbox.fetch)
})

describe('the trace of the other transports gets the same bytes', () => {
  it('from MSW 3', async () => {
    const script = await bundleForNode('replay-by-msw', 3)

    const recording: ReplayResult = JSON.parse(await runOnModernNode(script, JSON.stringify(trace)))

    expect(recording).toEqual(inProcess)
  })

  it.skipIf(!findBrowser())(
    "from MSW 3's Service Worker in Chromium, in a page without eval",
    async () => {
      const { page, pageErrors, close } = await openPage(3)
      onTestFinished(close)

      const recording = await page.evaluate((told) => sandboxPage.replay(told), trace)

      expect(recording).toEqual(inProcess)
      expect(pageErrors).toEqual([])
    },
  )
})
