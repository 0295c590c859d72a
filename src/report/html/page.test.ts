import { describe, expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { contract } from '../../generated/contract.ts'
import {
  createEntry,
  createFrozenSandbox,
  createMisusedSandbox,
  hammering,
  reportOn,
  sendRequest,
} from '../../testing/report-inputs.ts'
import { report } from '../report.ts'
import { toHtml } from './page.tsx'

const NOON = Date.parse('2027-03-01T12:00:00Z')

/** The charts of a page. */
function svgs(html: string): string[] {
  return html.match(/<svg class="chart"[\s\S]*?<\/svg>/g) ?? []
}

describe('the page', () => {
  it('escapes everything that a client sent', async () => {
    const sandbox = await createMisusedSandbox()
    await sendRequest(sandbox, '/<script>alert(1)</script>?"><img src=x onerror=alert(1)>')
    const html = toHtml(reportOn(sandbox, { failOn: ['all'], plans: sandbox.plans }))

    expect(html).not.toMatch(/<script|<img|onerror=alert\(1\)>/)
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
  })

  it('loads no other files', async () => {
    const html = toHtml(reportOn(await createMisusedSandbox()))

    expect(html).not.toMatch(/\b(src|href)=|@import|url\((?!#)/)
  })

  it('shows each finding with its reference and its exchanges', async () => {
    const html = toHtml(reportOn(await createMisusedSandbox()))

    expect(html).toMatch(/early-retry<\/h3>[\s\S]*RFC 9110, section 10\.2\.3[\s\S]*9 exchanges/)
    expect(html).toContain('<code>GET /pets/1</code>')
  })

  it('shows which items of the contract are covered, and which plan is sufficient', async () => {
    const sandbox = await createMisusedSandbox()
    const html = toHtml(reportOn(sandbox, { plans: sandbox.plans }))

    expect(html).toContain('<span class="badge good">400 for query.limit ×2</span>')
    expect(html).toContain('<span class="badge neutral">query.status=sold</span>')
    expect(html).toMatch(/too small[\s\S]*sufficient/)
  })

  it('shows a client without requests', () => {
    const html = toHtml(reportOn(createFrozenSandbox()))

    expect(html).toContain('No findings.')
    expect(html).toContain('Passed')
  })
})

describe('the timeline', () => {
  it('is well-formed XML of limited size, with five requests and with five thousand', async () => {
    const [few] = svgs(toHtml(report([hammering(5)], contract)))
    const many = svgs(toHtml(report([hammering(5000)], contract)))

    for (const xml of [few ?? '', ...many]) {
      const { errors } = await validateXML({ xml, schema: [] }).catch((error: Error) => ({
        errors: [error.message],
      }))
      expect(errors).toEqual([])
    }
    expect(few?.match(/<g><title>/g)).toHaveLength(5)
    expect(many.join('').length).toBeLessThan(120_000)
  })

  it('colors early requests, and marks the periods of Retry-After', () => {
    const [svg = ''] = svgs(toHtml(report([hammering(100)], contract)))

    expect(svg.match(/fill="var\(--wait\)"/g)).toHaveLength(1)
    expect(svg).toContain('fill="var(--early)"')
    expect(svg).toContain('100 requests, 40 × 429, 39 sent too early')
    expect(svg).toContain('limit: 60 per minute')
    expect(svg).toContain('>12:00:06</text>')
  })

  it('shows the two minutes with most early requests of a long recording in a chart of their own', () => {
    const long = [...hammering(700), createEntry({ time: NOON + 3_600_000 })]

    const drawn = toHtml(report([long], contract))

    expect(svgs(drawn)).toHaveLength(2)
    expect(drawn).toContain('The two minutes with most early requests')
  })

  it('leaves out years without requests, and labels the gap', () => {
    const years = [...hammering(5), createEntry({ time: Date.parse('2031-03-01T12:00:00Z') })]

    const [svg] = svgs(toHtml(report([years], contract)))

    expect(svg).toContain('+ 4 years')
  })

  it('shows the recordings with most early requests, and states how many are left out', () => {
    const recordings = Array.from({ length: 20 }, (_, at) =>
      hammering(at === 13 ? 100 : 2).map((one) => ({ ...one, key: `…k${at}` })),
    )

    const html = toHtml(report(recordings, contract))

    expect(svgs(html)).toHaveLength(8)
    expect(html).toMatch(/<figcaption>Recording 14<[\s\S]*12 more recordings/)
  })
})

it('shows a hint above tables and charts that can be scrolled on a narrow screen', async () => {
  const page = toHtml(reportOn(await createMisusedSandbox()))
  const [, narrow = ''] = page.split('@media (max-width: 640px)')

  expect(narrow).toMatch(/\.scroll::before \{ content: 'Scroll sideways to see all/)
})
