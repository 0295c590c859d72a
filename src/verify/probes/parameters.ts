import type { Operation, Parameter } from '../../contract/contract.ts'
import { factOf, type Judged } from '../facts/fact.ts'
import { holdsAtMost, succeeds } from '../facts/judge.ts'
import { decidesToRefuse, refuses } from '../facts/refusals.ts'
import type { Question } from '../service/answer.ts'
import { pageSizeOf, targetOf } from '../subject.ts'
import { EDGES, valuesOf } from '../values/parameter-values.ts'
import { type Probe, single } from './probe.ts'

/** Ranks: the ends of a range tell more than what is no number at all. */
const OUTSIDE = 30
const STRANGE = 44
const DECIDED = 60

/** Query parameters that `cursor` names are made by the target. */
const OPAQUE = 'cursor'

/** What the parameters of a list, or of an operation without path parameters, are not to be. */
export function parameterProbes(operation: Operation): Probe[] {
  const parameters = operation.parameters.filter(
    ({ name, in: at }) => at === 'query' && name !== OPAQUE,
  )

  return parameters.flatMap((parameter) => [
    ...invalidValues(operation, parameter),
    ...malformed(operation, parameter),
  ])
}

/** What the parameters of an operation may be, where no list probe sends it anyway. */
export function validParameterProbes(operation: Operation): Probe[] {
  const parameters = operation.parameters.filter(
    ({ name, in: at }) => at === 'query' && name !== OPAQUE,
  )

  return parameters.flatMap(({ name, ...rest }) =>
    valuesOf({ name, ...rest }).valid.map((value) =>
      single(STRANGE, questionOf(operation, [[name, value]]), [
        factOf(operation, `${name}=${value}`, `takes ${name}=${value}`, succeeds(operation)),
      ]),
    ),
  )
}

function invalidValues(operation: Operation, parameter: Parameter): Probe[] {
  const { name } = parameter
  return valuesOf(parameter).invalid.map((value) => {
    const what = `${name}=${value.length > 40 ? `${value.length} letters` : value}`
    const isStrange = value === EDGES.beyond || value === '1.5'

    return single(isStrange ? STRANGE : OUTSIDE, questionOf(operation, [[name, value]]), [
      ...neverMore(operation, name, value),
      ...refuses(operation, 'query', what, what),
    ])
  })
}

/** Whatever a service makes of it, a page is never longer than the document allows. */
function neverMore(operation: Operation, name: string, value: string): Judged[] {
  const most = pageSizeOf(operation)?.most
  if (name !== 'limit' || most === undefined || Number(value) !== most + 1) return []
  return [
    factOf(operation, `${name}=${value}/most`, `never lists more than ${most}`, holdsAtMost(most)),
  ]
}

/** What the specification is silent about. */
function malformed(operation: Operation, { name, schema, validate }: Parameter): Probe[] {
  const isList = [schema.type].flat().includes('array')
  const [first = '1', second = first] = valuesOf({
    name,
    schema,
    validate,
    in: 'query',
    required: false,
  }).valid
  const cases: [what: string, query: [string, string][]][] = [
    [`an empty ${name}`, [[name, '']]],
    ...(isList
      ? []
      : [
          [
            `${name} given twice`,
            [
              [name, first],
              [name, second],
            ],
          ] satisfies [string, [string, string][]],
        ]),
  ]

  return cases.flatMap(([what, query]) => {
    const facts = decidesToRefuse(operation, [400, 422], what, what.replaceAll(' ', '-'))
    return facts.length === 0 ? [] : [single(DECIDED, questionOf(operation, query), facts)]
  })
}

function questionOf(operation: Operation, query: readonly [string, string][]): Question {
  const { method } = operation
  return { operation, method, target: targetOf(operation, '', query), credentials: 'key' }
}
