import type { Operation, Parameter } from '../../contract/contract.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { acceptsQuery, type CheckDefinition, listsAtMost, operationCheck } from '../checks/check.ts'
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
      const what = `${name}=${value.length > MAX_SHOWN_LENGTH ? `${value.length} letters` : value}`
      const checks = rejectionChecks(operation, 'query', what, what)
      return singleRequestProbe(ORDER.unusualValue, operation, checks, async (session) => {
        const request = await listRequest(session, list)
        const target = withQuery(request.target, (one) => one === name, [[name, value]])
        return { ...request, target }
      })
    }),
  )
}

/** What documents say of parameters that they do not list: "Unknown query parameters are answered with 400". */
const NO_OTHERS =
  /\b(unknown|undocumented|undeclared|unexpected|additional) (query )?parameters?\b|\bparameters? (that|which) (an|the) operation does not (have|know|list|document)\b/i

/** A list with a parameter that it does not have, where the document says that this is refused. */
export function unknownParameterProbes(
  { bindings: { list } }: BoundResource,
  texts: DocumentTexts,
): Probe[] {
  if (!list) return []
  const { operation } = list
  const said = [...sentencesOf(texts.api), ...sentencesOf(texts.operation(operation.id))]
  const isRefused = said.some(
    (one) => NO_OTHERS.test(one) && /\b4\d\d\b|\b(refused|rejected|error|as (are|is))\b/i.test(one),
  )
  if (!isRefused || /\bunknown\b[^.]*\bignored\b/i.test(texts.api)) return []
  const checks = rejectionChecks(operation, 'query', 'an unknown parameter')
  return [
    singleRequestProbe(ORDER.unusualValue, operation, checks, async (session) => {
      const request = await listRequest(session, list)
      const target = withQuery(request.target, () => false, [['unknown_to_all', 'verify']])
      return { ...request, target }
    }),
  ]
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

function invalidValueProbe(operation: Operation, name: string, value: string): Probe {
  const what = `${name}=${value.length > MAX_SHOWN_LENGTH ? `${value.length} letters` : value}`
  const isUnusual = value === INTEGER_LIMITS.beyond || value === '1.5'
  const order = isUnusual ? ORDER.unusualValue : ORDER.valueOutOfRange

  return queryProbe(
    order,
    operation,
    [[name, value]],
    [...maximumCheck(operation, name, value), ...rejectionChecks(operation, 'query', what, what)],
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
  const { name, schema, validate } = parameter
  const [first = '1', second = first] = parameterValues(parameter).valid
  // An empty list, and a list with several values, can be valid.
  if (['array', 'object'].includes(typeOf(schema) ?? '')) return []
  if (validate([]) || validate([first]) || validate([first, second])) return []
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

function decidedProbe(operation: Operation, what: string, query: Query): Probe {
  const checks = decidedRejectionChecks(operation, what)
  return queryProbe(ORDER.decidedRejection, operation, query, checks)
}
