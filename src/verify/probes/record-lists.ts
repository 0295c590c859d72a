import type { Contract, Operation, Schema } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import { itemsOf, propertiesOf } from '../../contract/schema.ts'
import { generateValue } from '../../generate/generate-value.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  failure,
  hasSuccessStatus,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import { isWhole } from '../checks/whole-list.ts'
import { isSuccess, NotSent, type ProbeResponse } from '../messages.ts'
import { recordsAt, recordTemplate, sentBody } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { plainCreations } from '../session/own-records.ts'
import { createAt, validRequest } from '../session/valid-request.ts'
import { invalidItems } from '../test-data/body-variants.ts'
import { keyword, longestPage, typeOf, withoutNull } from '../test-data/values.ts'
import { ORDER, type Probe, singleRequestProbe } from './probe.ts'
import { requestOn } from './record-parts.ts'
import { rejectionChecks } from './refusals.ts'
import { NOT_REACHED } from './steps.ts'

/** So many records are in a request. */
const COUNT = 3

/**
 * Requests whose body is a list of records without ids, below a record of the run, such as `POST /devices/{device}/readings`: all of
 * them are listed afterwards, and none of a list that is refused.
 */
export function recordListProbes(
  { several, bindings }: BoundResource,
  contract: Contract,
): Probe[] {
  const { list, read } = bindings
  return several.flatMap((create) => {
    const { operation } = create
    const items = operation.body && itemsOf(operation.body.schema)
    const template = recordTemplate(operation)
    const isBelow = template.length > 0 && plainCreations(contract).at(template, operation)
    if (!items || typeOf(operation.body?.schema ?? {}) !== 'array' || !isBelow) return []
    const isListed = list && !read && list.operation.path === operation.path
    return [
      ...(isListed ? [keptProbe(operation, list, items, template)] : []),
      ...invalidProbes(operation, items),
    ]
  })
}

function keptProbe(
  operation: Operation,
  list: ResourceBinding,
  items: Schema,
  template: readonly string[],
): Probe {
  return {
    order: ORDER.create + 0.8,
    maxRequests: 6,
    requires: 'writes',
    checks: keptChecks(operation, list),
    send: async (session) => {
      const { time } = session.gate
      const records = Array.from({ length: COUNT }, (_, at) => itemOf(items, at, time))
      const [wrong] = invalidItems(items, records[0])
      if (
        !operation.body?.validate(records) ||
        new Set(records.map((one) => JSON.stringify(one))).size < COUNT
      )
        throw new NotSent('no list of different records could be made')
      const parent = await createAt(template, operation, session)
      const send = async (body?: unknown): Promise<ProbeResponse> => {
        const request = await requestOn(parent, body ? operation : list.operation, session)
        if (body) return await session.send({ ...request, body: JSON.stringify(body) })
        const size = longestPage(list.operation)
          .map((pair) => pair.join('='))
          .join('&')
        return await session.send({ ...request, target: request.target + (size && `?${size}`) })
      }
      const responses = [await send(), await send(records), await send()]
      if (wrong === undefined) return responses
      const mixed = [itemOf(items, COUNT, time), wrong.value]
      return [...responses, await send(mixed), await send()]
    },
  }
}

function itemOf(items: Schema, at: number, now: number): unknown {
  const { value } = generateValue(
    { schema: items, seed: `verify-${at}`, now },
    { hasExamples: false },
  )
  if (!isObject(value)) return value
  // Generated values of a small range may be the same.
  const [name] =
    [...propertiesOf(items)].find(
      ([, one]) => typeOf(one) === 'number' && !keyword(one, 'multipleOf'),
    ) ?? []
  const property = propertiesOf(items).get(name ?? '') ?? {}
  const { minimum = 0, maximum = minimum + 100 } = withoutNull(property)
  const own = Math.round((minimum + ((maximum - minimum) * (at + 1)) / (COUNT + 2)) * 4) / 4
  return name === undefined ? value : { ...value, [name]: own }
}

function keptChecks(operation: Operation, list: ResourceBinding): CheckDefinition[] {
  const countOf = (listed: ProbeResponse): number => recordsAt(listed, list)?.length ?? 0
  return [
    operationCheck(operation, 'several', 'accepts several records', ([, done]) =>
      done ? hasSuccessStatus(operation, done) : NOT_REACHED,
    ),
    ...countChecks(operation),
    operationCheck(
      list.operation,
      `after/${operation.id}`,
      `lists all records of ${operation.id}`,
      (all) => {
        const [before, done, listed] = all
        if (!before || !done || !listed || ![before, done, listed].every(isSuccess))
          return NOT_REACHED
        // An accepted list may be read later.
        if (done.status === 202 || !isWhole(listed, list)) return NOT_REACHED
        const wanted = countOf(before) + COUNT
        const count = countOf(listed)
        return passIf(count === wanted, listed, `${wanted} records`, `${count} records`)
      },
    ),
    operationCheck(operation, 'refused', 'keeps no record of a list that it refuses', (all) => {
      const [, , before, refused, after] = all
      if (!before || !refused || !after || ![before, after].every(isSuccess)) return NOT_REACHED
      if (refused.status < 400 || !isWhole(after, list))
        return { leftOut: 'the list was not refused' }
      const [wanted, count] = [countOf(before), countOf(after)]
      return passIf(count === wanted, after, `${wanted} records`, `${count} records`)
    }),
  ]
}

/** The name of a number of records. */
const COUNTED =
  /^(n|num(ber)?_?(of)?_?)?(accepted|created|imported|inserted|saved|stored|added|count|total)(_?count)?$/i

/** A response says how many records were created, if it has a property for it. */
function countChecks(operation: Operation): CheckDefinition[] {
  const { schema } = chooseResponse(operation).documented ?? {}
  const [name] =
    [...propertiesOf(schema ?? {})].find(
      ([one, property]) => COUNTED.test(one) && typeOf(property) === 'integer',
    ) ?? []
  if (name === undefined) return []
  const text = `returns the number of records as ${name}`
  return [
    operationCheck(operation, name, text, ([, done]) => {
      const shown = done && isSuccess(done) && isObject(done.json) ? done.json[name] : undefined
      const sent = done && sentBody(done)
      if (!done || typeof shown !== 'number' || !Array.isArray(sent)) return NOT_REACHED
      return shown === sent.length ? 'passed' : failure(done, `"${name}": ${sent.length}`)
    }),
  ]
}

/** Lists of a wrong length, and with a record that is not valid. */
function invalidProbes(operation: Operation, items: Schema): Probe[] {
  const { body } = operation
  if (!body) return []
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = body.schema
  const valid = itemOf(items, 0, Date.UTC(2025, 0, 1))
  const lists = [
    ...(minItems > 0
      ? [{ what: `${minItems - 1} records`, value: Array(minItems - 1).fill(valid) }]
      : []),
    ...(maxItems <= 200
      ? [{ what: `${maxItems + 1} records`, value: Array(maxItems + 1).fill(valid) }]
      : []),
    ...invalidItems(items, valid).map(({ what, value }) => ({
      what: `a record with ${what('record')}`,
      value: [value],
    })),
    { what: 'a record that is in no list', value: valid },
  ]
  return lists
    .filter(({ value }) => !body.validate(value))
    .map(({ what, value }, at) =>
      singleRequestProbe(
        ORDER.refusal + at / 100,
        operation,
        rejectionChecks(operation, 'body', what),
        async (session) => ({
          ...(await validRequest(operation, session)),
          body: JSON.stringify(value),
          isExact: true,
        }),
      ),
    )
}
