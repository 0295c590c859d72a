import { ValueLimit } from '../../http/body-limits.ts'
import type { InputError } from '../../http/problem.ts'
import type { Parameter, ValidationTime } from '../contract.ts'
import { isJson } from '../is-json.ts'
import { isValidIn } from '../schema.ts'
import { type Branches, branchesOf, typesOf } from './branches.ts'
import { parseJsonText } from './json-text.ts'
import { errorsOf } from './parameter-errors.ts'
import type { TextNode } from './text-node.ts'
import { type Preference, typedValue } from './typed-value.ts'

/** A value that was read, or why it is not valid. */
export interface ReadValue {
  /** The valid value, or the first meaning of one that is not valid. */
  readonly value?: unknown
  readonly errors: readonly InputError[]
}

/** All values that a node may mean, the most probable one first. */
export function* meanings(
  node: TextNode,
  branches: Branches,
  limit: ValueLimit,
): Generator<unknown> {
  const others = new Set<Preference>()
  yield typedValue(node, branches, { preference: 'type', others, limit: limit.copy() })
  for (const preference of [...others])
    yield typedValue(node, branches, { preference, others, limit: limit.copy() })
}

/**
 * The value of a parameter: the first meaning of what was sent that its schema allows. Without a meaning, it was not sent, and its
 * value is the default, if that is valid. A parameter that is required must be sent, even if it has a default.
 */
export function parameterValue(
  parameter: Parameter,
  location: string,
  nodes: readonly TextNode[],
  time: ValidationTime,
): ReadValue {
  const [first] = nodes
  if (!first) return missingValue(parameter, location, time)
  const isEmpty = first.texts.length === 1 && first.texts[0] === ''
  if (isEmpty && parameter.allowEmptyValue) return { value: '', errors: [] }
  const branches = branchesOf(parameter.schema)
  let failed: ReadValue = { errors: [] }
  for (const node of nodes) {
    for (const value of meanings(node, branches, ValueLimit.ofBody(0))) {
      if (isValidIn(time, parameter.validate, value)) return { value, errors: [] }
      if (failed.errors.length === 0)
        failed = { value, errors: errorsOf(parameter, location, value) }
    }
  }
  const message = messageOf(first.texts, branches)
  return message === undefined ? failed : { ...failed, errors: [{ location, message }] }
}

function missingValue(parameter: Parameter, location: string, time: ValidationTime): ReadValue {
  const { schema, validate, required } = parameter
  if (required && !isOptionalObject(parameter))
    return { errors: [{ location, keyword: 'required', message: 'is required' }] }
  const preset = schema.default
  const isPreset = preset !== undefined && isValidIn(time, validate, preset)

  return { ...(isPreset && { value: preset }), errors: [] }
}

/** What is wrong with texts whatever the schema says of their values. */
function messageOf(texts: readonly string[], branches: Branches): string | undefined {
  if (texts.includes('')) return 'must not be empty'
  return texts.length > 1 && !typesOf(branches).has('array') ? 'must be given once' : undefined
}

/** Whether nothing is a valid text of an object: each of its properties is a parameter of its own, and none is required. */
function isOptionalObject({ schema, validate, style, in: place, explode }: Parameter): boolean {
  const isSpread = place === 'query' && (style === 'deepObject' || explode !== false)
  return isSpread && typesOf(branchesOf(schema)).has('object') && validate({})
}

/** The nodes of a parameter whose text is of a media type. JSON is parsed; other texts are values by the schema. */
export function contentNodes(
  { mediaType = '' }: Parameter,
  nodes: readonly TextNode[],
): readonly TextNode[] {
  if (!isJson(mediaType.toLowerCase())) return nodes
  return nodes.flatMap((node) => {
    const value = parseJsonText(node.texts[0] ?? '', ValueLimit.ofBody(0))
    return value === undefined ? [node] : [{ ...node, value }, node]
  })
}
