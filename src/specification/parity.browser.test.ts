import { expect, it } from 'vitest'
import { bundleForPage } from '../testing/bundle.ts'
import { createParityReference, replayInPage } from '../testing/parity.ts'

it("the parity trace gets the same bytes from MSW 2's Service Worker in Chromium as in process", async () => {
  const { trace, inProcess } = await createParityReference()

  const { result, pageErrors } = await replayInPage(trace, 2)

  expect(result).toEqual(inProcess)
  expect(pageErrors).toEqual([])
})

it('a page that runs the sandbox loads faker only when first records are created', async () => {
  const { modules } = await bundleForPage('page-script', 2)

  expect(modules).toContainEqual(expect.stringContaining('src/engine/answer.ts'))
  expect(modules.filter((module) => /faker|seed(-value)?\.ts|yaml/.test(module))).toEqual([])
})
