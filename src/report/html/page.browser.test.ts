import { expect, it } from 'vitest'
import { contract } from '../../generated/contract.ts'
import { connectToBrowser } from '../../testing/browser.ts'
import { hammering } from '../../testing/report-inputs.ts'
import { type Report, report } from '../report.ts'
import { toHtml } from './page.tsx'

it('the page in a browser fits every width; where long names make a table too wide, a shadow marks its edge', async () => {
  const browser = await connectToBrowser()
  const page = await browser.newPage()
  await page.setContent(toHtml(withLongNames()))

  for (const width of [320, 390, 660, 768, 1200]) {
    await page.setViewportSize({ width, height: 844 })
    expect(await page.evaluate(overflowing), `at ${width} pixels`).toEqual([])
  }
  await browser.close()
})

/** A report on an API, worlds and plans with long names. */
function withLongNames(): Report {
  const long = 'AVeryLongName'.repeat(5)
  const operations = contract.operations.map((one) => ({
    ...one,
    id: one.id + long,
    path: `/${long}${one.path}`,
  }))
  const recordings = [hammering(100), hammering(5)].map((entries) =>
    entries.map((one) => ({ ...one, operation: `listPets${long}`, world: long.repeat(2) })),
  )
  const plans = [{ name: `plan-${long}`, minute: 1_000_000, day: 1_000_000_000 }]
  return report(recordings, { ...contract, operations }, { plans })
}

/** In the page: the elements that are wider than their place and have no shadow at the edge, and the page itself. */
function overflowing(): string[] {
  const elements = [...document.querySelectorAll<HTMLElement>('html, body *')]
  return elements
    .filter((one) => !one.closest('svg') && one.clientWidth > 0)
    .filter((one) => one.scrollWidth > one.clientWidth + 1)
    .filter((one) => !getComputedStyle(one).backgroundAttachment.includes('local'))
    .map((one) => `${one.tagName} ${one.className}`)
}
