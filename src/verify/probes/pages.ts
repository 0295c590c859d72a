import type { Operation } from '../../contract/contract.ts'
import type { Resource } from '../../resources/bind.ts'
import { factOf, type Judged, type Judgement } from '../facts/fact.ts'
import { fault, hasStatus, last, rowsOf, sizeOf } from '../facts/judge.ts'
import { decidesToRefuse } from '../facts/refusals.ts'
import type { Answer } from '../service/answer.ts'
import type { Session } from '../service/session.ts'
import { linkOf, pageSizeOf, type Subject } from '../subject.ts'
import { valuesOf } from '../values/parameter-values.ts'
import { listQuestion } from './list.ts'
import { type Probe, single } from './probe.ts'

const RANK = 50

const FEW = 'there are too few records for two pages'

/** As many pages as are followed. */
const PAGES = 4

/** Pages by `Link` (RFC 8288), where the document has that header: each record once. */
export function pageProbes({ resource, operations: { list } }: Subject): Probe[] {
  const headers = list?.responses.flatMap((response) => response.headers ?? []) ?? []
  if (!list || !pageSizeOf(list) || !headers.some(({ name }) => name === 'Link')) return []
  const cursor = list.parameters.find(({ name }) => name === 'cursor')
  const forged = decidesToRefuse(list, [400, 422], 'a cursor that it did not give out', 'cursor')

  return [
    {
      rank: RANK,
      cost: PAGES,
      facts: pageFacts(list, resource),
      ask: (session) => walk(session, list, resource),
    },
    ...filteredPages(list, resource),
    ...(cursor && forged.length > 0
      ? [single(RANK + 10, listQuestion(list, [['cursor', 'verify']]), forged)]
      : []),
  ]
}

/** The page after the first of a filtered list is filtered, too. */
function filteredPages(list: Operation, resource: Resource): Probe[] {
  const filter = list.parameters.find(
    ({ name, schema }) => resource.filters.includes(name) && schema.enum,
  )
  if (!filter) return []
  const { name } = filter
  const [value = ''] = valuesOf(filter).valid

  return [
    {
      rank: RANK,
      cost: 2,
      facts: [
        factOf(
          list,
          'pages/filter',
          `keeps ${name}=${value} on the next page`,
          ([, page]) => {
            if (!page) return { leftOut: FEW }
            const stray = rowsOf(page).find((row) => String(row[name]) !== value)
            return stray ? fault(page, `${name}: ${value}`, JSON.stringify(stray)) : 'passed'
          },
          { decision: true },
        ),
        factOf(
          list,
          'pages/limit',
          'keeps limit=1 on the next page',
          ([, page]) => {
            if (!page) return { leftOut: FEW }
            return sizeOf(page) === 1 ? 'passed' : fault(page, '1 record', `${sizeOf(page)}`)
          },
          { decision: true },
        ),
      ],
      ask: async (session) => {
        const question = listQuestion(list, [
          [name, value],
          ['limit', '1'],
        ])
        const first = await session.send(question)
        const target = nextTarget(first, session.base)
        return target === undefined ? [first] : [first, await session.send({ ...question, target })]
      },
    },
  ]
}

/** Pages so large that a handful of them hold all that is known to be there, and so small that there are several. */
async function walk(session: Session, list: Operation, resource: Resource): Promise<Answer[]> {
  const { rows } = session.known.list(resource)
  const size = Math.max(1, Math.ceil(rows.length / (PAGES - 1)))
  const most = pageSizeOf(list)?.most ?? size
  const pages: Answer[] = []
  let question = listQuestion(list, [['limit', String(Math.min(size, most))]])
  while (pages.length < PAGES) {
    const page = await session.send(question)
    pages.push(page)
    const next = nextTarget(page, session.base)
    if (next === undefined) break
    question = { ...question, target: next }
  }
  return pages
}

/** Below the base address; the key goes to no other. */
function nextTarget(page: Answer, base: string): string | undefined {
  const link = linkOf(page.headers, 'next')
  if (link === undefined) return undefined
  const here = base + page.question.target
  const address = URL.canParse(link, here) ? new URL(link, here).href : ''

  return address.startsWith(base) ? address.slice(base.length) : undefined
}

function pageFacts(list: Operation, resource: Resource): Judged[] {
  const { id } = resource
  const decision = { decision: true } as const
  const idsOf = (page: Answer): unknown[] => rowsOf(page).map((row) => row[id])

  return [
    factOf(
      list,
      'pages/disjoint',
      'lists no record on two pages',
      (pages, known) => {
        const [first] = pages
        if (!first || pages.length < 2) return onePage(first, known.list(resource).rows.length)
        const seen = new Set<unknown>()
        for (const page of pages) {
          const twice = idsOf(page).find((one) => seen.has(one))
          if (twice !== undefined) {
            return fault(page, 'records of no earlier page', `${id} ${JSON.stringify(twice)} again`)
          }
          for (const one of idsOf(page)) seen.add(one)
        }
        return 'passed'
      },
      decision,
    ),
    factOf(
      list,
      'pages/complete',
      'lists every record on one of its pages',
      (pages, known) => {
        const { rows } = known.list(resource)
        const end = pages.at(-1)
        if (!end || linkOf(end.headers, 'next') !== undefined) {
          return { leftOut: 'there are more pages than were asked for' }
        }
        const seen = new Set(pages.flatMap(idsOf))
        const lost = rows.find((row) => !seen.has(row[id]))
        return lost ? fault(end, `${JSON.stringify(lost)} on a page`, 'on none') : 'passed'
      },
      decision,
    ),
    factOf(
      list,
      'pages/full',
      'fills every page but the last',
      (pages, known) => {
        const [first] = pages
        if (!first || pages.length < 2) return onePage(first, known.list(resource).rows.length)
        const limit = Number(new URLSearchParams(first.question.target.split('?')[1]).get('limit'))
        const short = pages.slice(0, -1).find((page) => sizeOf(page) !== limit)
        return short ? fault(short, `${limit} records`, `${sizeOf(short)}`) : 'passed'
      },
      decision,
    ),
  ]
}

/** A single page must be all there is. */
function onePage(page: Answer | undefined, records: number): Judgement {
  if (!page || records <= sizeOf(page)) return { leftOut: FEW }
  return fault(page, 'Link: <…>; rel="next"', page.headers.get('Link') ?? 'no Link')
}

/** That HEAD is answered as GET, without a body. */
export function headProbe(list: Operation): Probe {
  const question = { ...listQuestion(list, []), method: 'HEAD' }
  return single(RANK + 10, question, [
    factOf(list, 'head', 'answers HEAD as GET', hasStatus(200), { decision: true }),
    factOf(
      list,
      'head/empty',
      'answers HEAD without a body',
      last((answer) => (answer.text === '' ? 'passed' : fault(answer, 'no body'))),
      { decision: true },
    ),
  ])
}
