import type { Operation, Parameter } from '../../contract/contract.ts'
import { type CheckDefinition, listsAtMost, operationCheck, succeeds } from '../checks/check.ts'
import type { ProbeRequest } from '../session/messages.ts'
import { INTEGER_LIMITS, pageSizeOf, parameterValues } from '../test-data/parameter-values.ts'
import { typeOf } from '../test-data/schema-keywords.ts'
import { ORDER, type Probe, type Query, requestTarget, singleRequestProbe } from './probe.ts'
import { decidedRejectionChecks, rejectionChecks } from './refusals.ts'

/** Only the server can create values of this parameter. */
const OPAQUE = 'cursor'

/** Longer values are described by their length. */
const MAX_SHOWN_LENGTH = 40

/** Requests with invalid query parameters. */
export function parameterProbes(operation: Operation): Probe[] {
  return queryParameters(operation).flatMap((parameter) => [
    ...invalidValueProbes(operation, parameter),
    ...malformedProbes(operation, parameter),
  ])
}

/** Requests with valid query parameters, for operations that have no list probes. */
export function validParameterProbes(operation: Operation): Probe[] {
  return queryParameters(operation).flatMap((parameter) =>
    parameterValues(parameter).valid.map((value) => {
      const what = `${parameter.name}=${value}`
      return singleRequestProbe(
        ORDER.unusualValue,
        requestWith(operation, [[parameter.name, value]]),
        [operationCheck(operation, what, `accepts ${what}`, succeeds(operation))],
      )
    }),
  )
}

function queryParameters({ parameters }: Operation): readonly Parameter[] {
  return parameters.filter((one) => one.in === 'query' && one.name !== OPAQUE)
}

function invalidValueProbes(operation: Operation, parameter: Parameter): Probe[] {
  const { name } = parameter
  return parameterValues(parameter).invalid.map((value) => {
    const shown = value.length > MAX_SHOWN_LENGTH ? `${value.length} letters` : value
    const what = `${name}=${shown}`
    const isUnusual = value === INTEGER_LIMITS.beyond || value === '1.5'
    const order = isUnusual ? ORDER.unusualValue : ORDER.valueOutOfRange

    return singleRequestProbe(order, requestWith(operation, [[name, value]]), [
      ...maximumCheck(operation, name, value),
      ...rejectionChecks(operation, 'query', what, what),
    ])
  })
}

/** Even when a server accepts a page size above the maximum, the page must not be longer than the maximum. */
function maximumCheck(operation: Operation, name: string, value: string): CheckDefinition[] {
  const maximum = pageSizeOf(operation)?.maximum
  if (name !== 'limit' || maximum === undefined || Number(value) !== maximum + 1) return []
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
  const cases: { readonly what: string; readonly query: Query }[] = [
    ...(allowsEmpty(parameter) ? [] : [{ what: `an empty ${name}`, query: [[name, ''] as const] }]),
    {
      what: `${name} given twice`,
      query: [
        [name, first],
        [name, second],
      ],
    },
  ]

  return cases.flatMap(({ what, query }) => {
    const id = what.replaceAll(' ', '-')
    const checks = decidedRejectionChecks(operation, [400, 422], what, id)
    return checks.length === 0
      ? []
      : [singleRequestProbe(ORDER.decidedRejection, requestWith(operation, query), checks)]
  })
}

/** An empty text may also mean `null`. */
function allowsEmpty({ validate }: Parameter): boolean {
  return validate('') || validate(null)
}

function requestWith(operation: Operation, query: Query): ProbeRequest {
  const { method } = operation
  return { operation, method, target: requestTarget(operation, '', query), credentials: 'key' }
}
