import { parseJsonText } from '../../contract/json.ts'
import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import { generateValue } from '../../generate/generate-value.ts'
import { RandomSource } from '../../generate/random.ts'
import { withQuery } from '../../requests/outgoing-request.ts'
import { isObject } from '../../validation/objects.ts'
import type { ProbeRequest } from '../messages.ts'
import { boundariesOf, invalidBodies } from '../test-data/body-variants.ts'
import { withValues } from '../test-data/full-body.ts'
import { takesJson } from '../test-data/sample-body.ts'
import { parameterValues } from '../test-data/values.ts'
import type { Command } from './commands.ts'

/** A valid request with the random parts of a command, and the names of what they are in. */
export interface RandomRequest {
  readonly request: ProbeRequest
  readonly names: readonly string[]
}

/** Names of references to other records, which a service may refuse, and of places in a list, which only it can make. */
const NOT_VARIED = /(^|[^a-z])ids?$|[a-z]I[dD]s?$|cursor|token|page_?key|after|before/i

/** The request of a command, made from a valid one. */
export function randomRequest(request: ProbeRequest, command: Command): RandomRequest {
  const random = RandomSource.from([command.seed])
  return request.body === undefined
    ? withParameters(request, command, random)
    : withBody(request, command, random)
}

function withBody(request: ProbeRequest, command: Command, random: RandomSource): RandomRequest {
  const { operation, binding, isInvalid, names: only } = command
  const { body } = operation
  if (!body || !binding || !takesJson(body)) return { request, names: [] }
  const { hints, resource } = binding
  const place = hints.body ?? ''
  const valid = parseJsonText(request.body ?? '')
  const own = hints.sentId ?? resource.id
  if (isInvalid && isObject(valid)) {
    const variant = random.pick(invalidBodies(body, valid, own, place))
    const isEmpty = variant?.text === '' && !body.required
    if (!variant || isEmpty) return { request, names: [] }
    return { request: { ...request, body: variant.text, isExact: true }, names: [variant.what] }
  }
  const properties = [...propertiesOf(schemaAt(body.schema, place) ?? {})].filter(
    ([name, { readOnly }]) => !readOnly && name !== own && !NOT_VARIED.test(name),
  )
  const chosen = properties.flatMap(([name, schema]) => {
    const part = random.part(name)
    const isChosen = only ? only.includes(name) : part.next() < 0.5
    if (!isChosen) return []
    const seed = `${command.seed} ${name}`
    const generated = generateValue({ schema, seed, now: 0 }, { hasExamples: false })
    const values = [...(generated.isValid ? [generated.value] : []), ...boundariesOf(schema)]
    return values.length === 0 ? [] : [[name, part.pick(values)] as const]
  })
  const changed = withValues(request, binding, Object.fromEntries(chosen))

  return { request: changed, names: chosen.map(([name]) => name) }
}

function withParameters(
  request: ProbeRequest,
  { operation, kind, isInvalid, names: only }: Command,
  random: RandomSource,
): RandomRequest {
  // Those of other requests are about the records of the sequence.
  if (kind !== 'query') return { request, names: [] }
  const chosen = operation.parameters.flatMap((parameter) => {
    const { name } = parameter
    const part = random.part(name)
    const isChosen = only ? only.includes(name) : part.next() < 0.5
    if (parameter.in !== 'query' || NOT_VARIED.test(name) || !isChosen) return []
    const { valid, invalid } = parameterValues(parameter)
    const value = part.pick(isInvalid && part.next() < 0.7 ? invalid : valid)
    return value === undefined ? [] : [[name, value] as const]
  })
  const names = new Set(chosen.map(([name]) => name))
  const target = withQuery(request.target, (name) => names.has(name), chosen)

  return { request: { ...request, target }, names: [...names] }
}
