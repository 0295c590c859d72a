import type { Operation, Parameter } from '../../contract/contract.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { isObject } from '../../validation/objects.ts'
import { acceptsQuery, type CheckDefinition, listsAtMost, operationCheck } from '../checks/check.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import type { BoundResource } from '../resource-operations.ts'
import { sentencesOf } from '../session/stated-rules.ts'
import { INTEGER_LIMITS, pageSizeOf, parameterValues, typeOf } from '../test-data/values.ts'
import { listRequest } from './page-walks.ts'
import { ORDER, type Probe, type Query, requestTo, singleRequestProbe } from './probe.ts'
import { decidedRejectionChecks, rejectionChecks } from './refusals.ts'

/** Only the server can create values of this parameter. */
const OPAQUE = 'cursor'

/** Longer values are described by their length. */
const MAX_SHOWN_LENGTH = 40

/** Requests with invalid query parameters. */
export function parameterProbes(operation: Operation): Probe[] {
  return queryParameters(operation).flatMap((parameter) => [
    ...parameterValues(parameter).invalid.map((value) =>
      invalidValueProbe(operation, parameter.name, value),
    ),
    ...malformedProbes(operation, parameter),
  ])
}

/** Requests with valid query parameters, for operations that have no list probes. */
export function validParameterProbes(operation: Operation): Probe[] {
  return queryParameters(operation).flatMap((parameter) =>
    parameterValues(parameter).valid.map((value) => {
      const what = `${parameter.name}=${value}`
      const check = operationCheck(operation, what, `accepts ${what}`, acceptsQuery(operation))
      return queryProbe(ORDER.unusualValue, operation, [[parameter.name, value]], [check])
    }),
  )
}

/** Requests with invalid query parameters for a list below a record: one of this run, if there is one. */
export function nestedParameterProbes(list: ResourceBinding): Probe[] {
  const { operation } = list
  if (!operation.path.includes('{')) return []
  return queryParameters(operation).flatMap((parameter) =>
    parameterValues(parameter).invalid.flatMap((value) => {
      const { name } = parameter
      const checks = valueRejectionChecks(operation, name, value)
      return singleRequestProbe(ORDER.unusualValue, operation, checks, async (session) => {
        const request = await listRequest(session, list)
        const target = withQuery(request.target, (one) => one === name, [[name, value]])
        return { ...request, target }
      })
    }),
  )
}

/** What documents say of query parameters that they do not list: "Unknown query parameters are answered with 400". */
const UNKNOWN =
  /\b(unknown|undocumented|undeclared|unexpected|additional)\b|\b(not|n't) (have|know|list|document|describe|declare)/i

const REPEATED = /\b(repeated|(given|sent) (twice|repeatedly|more than once))\b/i

/** What parts of sentences are about that are not about query parameters. */
const OTHER_PARTS =
  /\b(propert(y|ies)|fields?|members?|bod(y|ies)|keys?|ids?|records?|references?)\b/i

const IGNORED = /\bignored\b/i
const REFUSED = /\b4\d\d\b|\b(refused|rejected|errors?)\b|\bas (are|is)\b/i

/** Lists with a parameter that they do not have, and with one that is given twice, where the document says that this is refused. */
export function statedParameterProbes(
  { bindings: { list } }: BoundResource,
  texts: DocumentTexts,
): Probe[] {
  if (!list) return []
  const { operation } = list
  const said = [...sentencesOf(texts.api), ...sentencesOf(texts.operation(operation.id))]
  const probe = (what: string, query: Query): Probe => {
    const checks = rejectionChecks(operation, 'query', what)
    return singleRequestProbe(ORDER.unusualValue, operation, checks, async (session) => {
      const request = await listRequest(session, list)
      const names = new Set(query.map(([name]) => name))
      return { ...request, target: withQuery(request.target, (one) => names.has(one), query) }
    })
  }
  const twice = queryParameters(operation).find((one) => isSingle(one) && valuesOf(one).length > 0)
  const [first = '', second = first] = twice ? valuesOf(twice) : []
  return [
    ...(isRefused(said, UNKNOWN)
      ? [probe('an unknown parameter', [['unknown_to_all', 'verify']])]
      : []),
    ...(twice && isRefused(said, REPEATED)
      ? [
          probe('a parameter given twice', [
            [twice.name, first],
            [twice.name, second],
          ]),
        ]
      : []),
  ]
}

function valuesOf(parameter: Parameter): readonly string[] {
  const flags = ['true', 'false'].filter((one) => parameter.validate(one === 'true'))
  return [...parameterValues(parameter).valid, ...flags]
}

/** Whether sentences say that query parameters are refused: "Unknown query parameters, repeated ones and wrong values get 400". */
function isRefused(sentences: readonly string[], words: RegExp): boolean {
  const verdicts = sentences.flatMap((sentence) => {
    const parts = sentence.split(/[,;] /)
    const start = parts.findIndex((one) => words.test(one) && !OTHER_PARTS.test(one))
    if (start < 0 || !/\b(query|parameters?)\b/i.test(sentence)) return []
    const said = parts.slice(start).find((one) => IGNORED.test(one) || REFUSED.test(one))
    return said === undefined ? [] : [!IGNORED.test(said)]
  })
  return verdicts.length > 0 && !verdicts.includes(false)
}

function queryParameters({ parameters }: Operation): readonly Parameter[] {
  return parameters.filter((one) => one.in === 'query' && one.name !== OPAQUE)
}

/** A request with a query. */
export function queryProbe(
  order: number,
  operation: Operation,
  query: Query,
  checks: readonly CheckDefinition[],
): Probe {
  return singleRequestProbe(order, operation, checks, () => requestTo(operation, { query }))
}

/** The checks that an operation rejects a value. Where only a format forbids an integer, the list of what has it may also be empty. */
function valueRejectionChecks(
  operation: Operation,
  name: string,
  value: string,
): readonly CheckDefinition[] {
  const what = `${name}=${value.length > MAX_SHOWN_LENGTH ? `${value.length} letters` : value}`
  const checks = rejectionChecks(operation, 'query', what, what)
  if (value !== INTEGER_LIMITS.beyond) return checks
  return checks.map((check) => ({
    ...check,
    evaluate: (responses, records) =>
      responses.slice(-1).some(isEmptyList) ? 'passed' : check.evaluate(responses, records),
  }))
}

/** Whether a response is a list without records, or an object with one. */
function isEmptyList(response: ProbeResponse): boolean {
  const { json } = response
  const lists = [json, ...(isObject(json) ? Object.values(json) : [])].filter(Array.isArray)
  return isSuccess(response) && lists.length > 0 && lists.every((one) => one.length === 0)
}

function invalidValueProbe(operation: Operation, name: string, value: string): Probe {
  const isUnusual = value === INTEGER_LIMITS.beyond || value === '1.5'
  const order = isUnusual ? ORDER.unusualValue : ORDER.valueOutOfRange

  return queryProbe(
    order,
    operation,
    [[name, value]],
    [...maximumCheck(operation, name, value), ...valueRejectionChecks(operation, name, value)],
  )
}

/** Even when a server accepts a page size above the maximum, the page must not be longer than the maximum. */
function maximumCheck(operation: Operation, name: string, value: string): CheckDefinition[] {
  const { name: sizeName, maximum } = pageSizeOf(operation) ?? {}
  if (name !== sizeName || maximum === undefined || Number(value) !== maximum + 1) return []
  return [
    operationCheck(
      operation,
      `${name}=${value}/most`,
      `never lists more than ${maximum} records`,
      listsAtMost(maximum),
    ),
  ]
}

/** OpenAPI does not define how a server handles an empty or repeated parameter, so these checks are decisions. */
function malformedProbes(operation: Operation, parameter: Parameter): Probe[] {
  const { name, validate } = parameter
  if (!isSingle(parameter)) return []
  const [first = '1', second = first] = parameterValues(parameter).valid
  // An empty text may also mean `null`.
  const allowsEmpty = validate('') || validate(null)

  return [
    ...(allowsEmpty ? [] : [decidedProbe(operation, `an empty ${name}`, [[name, '']])]),
    decidedProbe(operation, `${name} given twice`, [
      [name, first],
      [name, second],
    ]),
  ]
}

/** Whether a parameter has one value. An empty list, and a list with several values, can be valid for others. */
function isSingle(parameter: Parameter): boolean {
  const { schema, validate } = parameter
  const [first = '1', second = first] = parameterValues(parameter).valid
  const isList = ['array', 'object'].includes(typeOf(schema) ?? '')

  return !isList && ![[], [first], [first, second]].some((one) => validate(one))
}

function decidedProbe(operation: Operation, what: string, query: Query): Probe {
  const checks = decidedRejectionChecks(operation, what)
  return queryProbe(ORDER.decidedRejection, operation, query, checks)
}
