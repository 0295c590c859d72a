import type { Operation } from '../../contract/contract.ts'
import type { Resource } from '../../resources/bind.ts'
import { factOf, type Judged } from '../facts/fact.ts'
import { fault, holdsAtMost, recordsOf, rowsOf, served, succeeds } from '../facts/judge.ts'
import type { Answer, Question } from '../service/answer.ts'
import type { Session } from '../service/session.ts'
import { linkOf, longestPage, pageSizeOf, type Subject, targetOf } from '../subject.ts'
import { valuesOf } from '../values/parameter-values.ts'
import type { Probe } from './probe.ts'

/** Ranks: the plain list is asked first, since what else is asked depends on its records. */
const FIRST = 10
const LONGEST = 15
const SHORT = 22
const FILTERS = 16

/** What a list is asked with input that is valid. */
export function listProbes({ resource, operations: { list } }: Subject): Probe[] {
  if (!list) return []
  return [plainList(list, resource), ...sizes(list, resource), ...filters(list, resource)]
}

function plainList(list: Operation, resource: Resource): Probe {
  const preset = pageSizeOf(list)?.preset
  const size =
    preset === undefined
      ? []
      : [
          factOf(
            list,
            'limit/default',
            `lists at most ${preset} when limit is left out`,
            holdsAtMost(preset),
          ),
        ]

  return listing(list, resource, [], FIRST, [
    factOf(list, 'served', 'answers a request with the key', succeeds(list)),
    ...size,
    uniqueIds(list, resource, 'ids'),
  ])
}

function sizes(list: Operation, resource: Resource): Probe[] {
  const limit = list.parameters.find(({ name }) => name === 'limit')
  const most = pageSizeOf(list)?.most

  return (limit ? valuesOf(limit).valid : []).map((value) => {
    const isMost = Number(value) === most
    const facts = [
      factOf(list, `limit=${value}`, `takes limit=${value}`, succeeds(list)),
      factOf(
        list,
        `limit=${value}/obeyed`,
        `lists at most ${value} for limit=${value}`,
        holdsAtMost(Number(value)),
      ),
      ...(isMost ? [uniqueIds(list, resource, `limit=${value}/ids`), inOrder(list, resource)] : []),
    ]
    const rank = isMost ? LONGEST : SHORT
    return listing(list, resource, [['limit', value]], rank, facts)
  })
}

/** A request for a list, whose records are remembered. */
function listing(
  list: Operation,
  resource: Resource,
  query: readonly (readonly [string, string])[],
  rank: number,
  facts: readonly Judged[],
): Probe {
  return {
    rank,
    cost: 1,
    isBasic: true,
    facts,
    ask: async (session) => {
      const answer = await session.send(listQuestion(list, query))
      const size = Number(query.find(([name]) => name === 'limit')?.[1] ?? pageSizeOf(list)?.preset)
      const rows = rowsOf(answer)
      const isLast = linkOf(answer.headers, 'next') === undefined
      session.known.listed(resource, rows, isLast && !(rows.length >= size))

      return [answer]
    },
  }
}

export function listQuestion(
  list: Operation,
  query: readonly (readonly [string, string])[],
): Question {
  return {
    operation: list,
    method: list.method,
    target: targetOf(list, '', query),
    credentials: 'key',
  }
}

function filters(list: Operation, resource: Resource): Probe[] {
  const parameters = list.parameters.filter(({ name }) => resource.filters.includes(name))

  return parameters.flatMap((parameter) => {
    const values = parameter.schema.enum ? valuesOf(parameter).valid : []
    if (values.length > 0) {
      return values.map((value) => filter(list, resource, parameter.name, () => value, value))
    }
    const ofRecord = ({ known }: Session): unknown => known.list(resource).rows[0]?.[parameter.name]
    return [filter(list, resource, parameter.name, ofRecord, '…')]
  })
}

/** That a filter gives what fits, all of it, and nothing else. */
function filter(
  list: Operation,
  resource: Resource,
  name: string,
  wanted: (session: Session) => unknown,
  shown: string,
): Probe {
  const what = `${name}=${shown}`
  const valueIn = ({ question }: Answer): string | null =>
    new URL(question.target, 'http://target').searchParams.get(name)

  return {
    rank: FILTERS,
    cost: 1,
    facts: [
      factOf(list, what, `takes ${what}`, succeeds(list)),
      factOf(
        list,
        `${what}/fits`,
        `lists nothing else for ${what}`,
        recordsOf((rows, answer) => {
          const stray = rows.find((row) => String(row[name]) !== valueIn(answer))
          return stray
            ? fault(answer, `records with that ${name}`, JSON.stringify(stray))
            : 'passed'
        }),
      ),
      factOf(list, `${what}/all`, `lists all there is for ${what}`, ([answer], known) => {
        const { rows, isComplete } = known.list(resource)
        if (!answer || !isComplete) return { leftOut: 'the whole list is not known' }
        if (served(list, answer) !== 'passed') return { leftOut: 'the filter is not taken' }
        const listed = new Set(rowsOf(answer).map((row) => row[resource.id]))
        const lost = rows.find(
          (row) => String(row[name]) === valueIn(answer) && !listed.has(row[resource.id]),
        )
        return lost ? fault(answer, `${JSON.stringify(lost)} among them`, 'it is not') : 'passed'
      }),
    ],
    ask: async (session) => {
      const value = wanted(session)
      if (value === undefined || value === null) return []
      return [await session.send(listQuestion(list, [[name, String(value)], ...longestPage(list)]))]
    },
  }
}

function uniqueIds(list: Operation, { id }: Resource, fact: string): Judged {
  return factOf(
    list,
    fact,
    fact === 'ids' ? 'lists no id twice' : `lists no id twice for ${fact.replace('/ids', '')}`,
    recordsOf((rows, answer) => {
      const ids = rows.map((row) => row[id])
      const twice = ids.find((one, at) => ids.indexOf(one) !== at)
      return twice === undefined
        ? 'passed'
        : fault(answer, 'each id once', `${JSON.stringify(twice)} more than once`)
    }),
  )
}

function inOrder(list: Operation, { id }: Resource): Judged {
  return factOf(
    list,
    'order',
    `lists by ascending ${id}`,
    recordsOf((rows, answer) => {
      const ids = rows.map((row) => row[id])
      const at = ids.findIndex((one, index) => index > 0 && isLess(one, ids[index - 1]))
      return at < 0
        ? 'passed'
        : fault(
            answer,
            `ascending ${id}s`,
            `${JSON.stringify(ids[at])} after ${JSON.stringify(ids[at - 1])}`,
          )
    }),
    { decision: true },
  )
}

function isLess(one: unknown, other: unknown): boolean {
  if (typeof one === 'number' && typeof other === 'number') return one < other
  return typeof one === 'string' && typeof other === 'string' && one < other
}
