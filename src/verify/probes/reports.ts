import type { Contract, Operation, Parameter } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import { itemsOf, propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { ENDS, STARTS } from '../../requests/operation-input.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import { resourcesIn } from '../../resources/bind.ts'
import { linksOf } from '../../resources/record-links.ts'
import { getOwn, isObject } from '../../validation/objects.ts'
import { type LeftOut, operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import { boundTo, idForParameter } from '../record-address.ts'
import { validRequest } from '../session/valid-request.ts'
import { isDate, keyword } from '../test-data/values.ts'
import { ORDER, type Probe } from './probe.ts'
import { needsNoInput } from './valid-requests.ts'

/** What says that an object with a list of rows is a report, and not the page of a list. */
const SUM = /\bsum of\b/i

const NO_ROWS: LeftOut = { leftOut: 'the report has no rows that show it' }

/**
 * Reports: an object with rows, whose totals are compared with them (`checks/derived-values.ts`). They are read for a long time, so that they
 * have rows, and for one record each, whose rows are those of this record.
 */
export function reportProbes(contract: Contract, texts: DocumentTexts): Probe[] {
  return contract.operations
    .filter((one) => needsNoInput(one) && rowsOf(one).length > 0)
    .filter((one) => boundTo(contract, one)?.action !== 'list' || texts.hasProperty(one.id, SUM))
    .flatMap((one) => [...longProbe(one), ...recordProbes(one, contract)])
}

/** The properties of a report that have its rows. */
function rowsOf(operation: Operation): readonly string[] {
  const { schema } = chooseResponse(operation).documented ?? {}
  return [...propertiesOf(schema ?? {})].flatMap(([name, own]) => {
    const items = itemsOf(own)
    return items && propertiesOf(items).size > 0 ? [name] : []
  })
}

function rowsIn({ json }: ProbeResponse, names: readonly string[]): readonly unknown[] {
  return names.flatMap((name) => {
    const rows = isObject(json) ? getOwn(json, name) : undefined
    return Array.isArray(rows) ? rows : []
  })
}

const DAY = 24 * 3_600_000

/** How long before and after this day, in days: a service may refuse a long time. */
const SPANS = [
  [730, 365],
  [20, 10],
] as const

/** The query for a time around this one; `undefined` where a report has no such time. */
function timeAround(
  { parameters }: Operation,
  now: number,
  [before, after]: readonly [number, number],
): readonly (readonly [string, string])[] {
  const dates = parameters.filter((one) => one.in === 'query' && isDate(one.schema))
  const named = (names: RegExp): Parameter | undefined =>
    dates.find(({ name }) => names.test(name.replace(/([a-z])([A-Z])/g, '$1_$2')))
  const [from, to] = [named(STARTS), named(ENDS)]
  if (!from || !to) return []
  return [
    [from.name, dayFrom(now - before * DAY, from)],
    [to.name, dayFrom(now + after * DAY, to)],
  ]
}

/** A report on the last years: a query that was made may be for a time without records. */
function longProbe(operation: Operation): Probe[] {
  if (timeAround(operation, 0, SPANS[0]).length === 0) return []
  const text = 'shows rows for a time in which there is something'
  const check = operationCheck(operation, 'report/long', text, (reports) => {
    const shown = reports.find(isSuccess)
    return shown && rowsIn(shown, rowsOf(operation)).length > 0 ? 'passed' : NO_ROWS
  })
  return [
    {
      order: ORDER.change + 0.95,
      maxRequests: SPANS.length,
      checks: [check],
      send: async (session) => {
        const request = await validRequest(operation, session)
        const responses: ProbeResponse[] = []
        for (const span of SPANS) {
          const target = withPairs(request.target, timeAround(operation, session.gate.time, span))
          const response = await session.send({ ...request, target })
          responses.push(response)
          if (isSuccess(response)) break
        }
        return responses
      },
    },
  ]
}

function withPairs(target: string, pairs: readonly (readonly [string, string])[]): string {
  return withQuery(target, (name) => pairs.some(([own]) => own === name), pairs)
}

function dayFrom(time: number, { schema }: Parameter): string {
  const text = new Date(time).toISOString()
  return keyword(schema, 'format') === 'date' ? text.slice(0, 10) : text
}

/** A report on one record that is listed, for each parameter with its id. */
function recordProbes(operation: Operation, contract: Contract): Probe[] {
  const resources = resourcesIn(contract)
  const [any] = resources
  return operation.parameters.flatMap(({ in: place, name, schema }) => {
    if (place !== 'query' || !any || keyword(schema, 'enum')) return []
    const query = { type: 'object', properties: { [name]: schema } } as const
    const [link] = linksOf({ ...any, id: '', schema: query }, resources)
    if (!link || link.to.path.includes('{')) return []
    const { path, id: idName } = link.to
    const text = `shows only what is of the record with the ${name}`
    const check = operationCheck(operation, `report/${name}`, text, (reports) => {
      const report = reports.find(
        (one) => isSuccess(one) && rowsIn(one, rowsOf(operation)).length > 0,
      )
      if (!report) return NO_ROWS
      const wanted = new URL(report.url).searchParams.get(name)
      const others = rowsIn(report, rowsOf(operation)).map((row) =>
        isObject(row) ? row[name] : undefined,
      )
      const shown = others.filter((one) => one !== undefined && one !== null)
      if (shown.length === 0) return NO_ROWS
      const isOnly = shown.every((one) => String(one) === wanted)
      return passIf(isOnly, report, `rows with "${name}": ${wanted} only`)
    })
    return [
      {
        order: ORDER.change + 0.95,
        maxRequests: MAX_RECORDS,
        checks: [check],
        send: async (session) => {
          const request = await validRequest(operation, session)
          const ids = session.ids.recordsOf(path).flatMap((one) => {
            const id = idForParameter(one, idName)
            return id === undefined ? [] : [String(id)]
          })
          const responses: ProbeResponse[] = []
          // New ones may have nothing yet, and old ones no more.
          for (const id of spread([...new Set(ids)], MAX_RECORDS)) {
            const time = timeAround(operation, session.gate.time, SPANS[0])
            const target = withPairs(request.target, [...time, [name, id]])
            responses.push(await session.send({ ...request, target }))
          }
          return responses
        },
      },
    ]
  })
}

/** The most records for which a report is read. */
const MAX_RECORDS = 4

/** So many of a list, from its start to its end. */
function spread<Item>(all: readonly Item[], count: number): readonly Item[] {
  const step = Math.max(1, (all.length - 1) / Math.max(1, count - 1))
  return all.filter((_, at) => at % step < 1).slice(0, count)
}
