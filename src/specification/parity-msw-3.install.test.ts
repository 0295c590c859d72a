import { beforeAll, describe, expect, it } from 'vitest'
import { findBrowser } from '../testing/browser.ts'
import { bundleForNode } from '../testing/bundle.ts'
import { runOnModernNode } from '../testing/modern-node.ts'
import { createParityReference, type ParityReference, replayInPage } from '../testing/parity.ts'
import type { ReplayResult } from '../testing/replay.ts'

let reference: ParityReference

beforeAll(async () => {
  reference = await createParityReference()
})

describe('the parity trace gets the same bytes as in process', () => {
  it('from MSW 3', async () => {
    const { trace, inProcess } = reference
    const script = await bundleForNode('replay-by-msw', 3)

    const result: ReplayResult = JSON.parse(await runOnModernNode(script, JSON.stringify(trace)))

    expect(result).toEqual(inProcess)
  })

  it.skipIf(!findBrowser())("from MSW 3's Service Worker in Chromium", async () => {
    const { trace, inProcess } = reference

    const { result, pageErrors } = await replayInPage(trace, 3)

    expect(result).toEqual(inProcess)
    expect(pageErrors).toEqual([])
  })
})
