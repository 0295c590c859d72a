import { isObject } from '../validation/objects.ts'
import { suggest } from '../validation/usage-error.ts'
import { type Document, locationOf } from './document.ts'
import { readGivenHints } from './hints/read-given-hints.ts'
import type { Pointer } from './json-pointer.ts'
import { asObject, type JsonObject } from './json-value.ts'
import type { Mistake } from './mistake.ts'
import { readServiceHints } from './service-hints.ts'

/** The extension that holds hints for the sandbox. Other tools ignore it. */
const HINTS = 'x-sandbox'

/** The fields of a hint, by the kind of object that has it. */
const FIELDS = {
  schema: ['default'],
  response: ['forced'],
} as const

/**
 * A schema whose `x-sandbox: { default: … }` is its `default`. The document needs both: client generators read `default` as
 * "this value is always present", in requests too. The contract needs only one.
 */
export function withHints(schema: JsonObject): JsonObject {
  const { [HINTS]: hints, ...rest } = schema
  if (!isObject(hints)) return rest

  return Object.hasOwn(hints, 'default') ? { ...rest, default: hints.default } : rest
}

/**
 * Whether a response is sent only when a developer forces it: `x-sandbox: { forced: true }`. The document lists it so that
 * clients and validators know its status; the service does not promise it.
 */
export function isForced(response: JsonObject): boolean {
  return asObject(response[HINTS]).forced === true
}

const IGNORED = 'it is ignored'

/** Finds mistakes in the hints of a schema or response. */
export function validateHints(
  kind: keyof typeof FIELDS,
  object: JsonObject,
  pointer: Pointer,
  document: Document,
): Mistake[] {
  const hints = object[HINTS]
  const path = [...pointer, HINTS]
  const known: readonly string[] = FIELDS[kind]
  if (hints === undefined) return []
  if (!isObject(hints)) {
    const help = `Write an object with ${known.map((name) => `"${name}"`).join(', ')}.`
    const location = locationOf(document, path)
    return [{ reason: `"${HINTS}" must be an object`, location, assumed: IGNORED, help }]
  }
  return Object.keys(hints)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      reason: `"${HINTS}" of a ${kind} has an unknown field "${name}"`,
      location: locationOf(document, [...path, name], 'key'),
      assumed: IGNORED,
      ...suggest(name, known),
    }))
}

/** Finds mistakes in the hints for the whole service, for paths and for operations. */
export function validateGivenHints(document: Document): Mistake[] {
  const { mistakes = [] } = readServiceHints(document.root) ?? {}
  const given = readGivenHints(document)

  return [...mistakes, ...given.mistakes].map(({ pointer, part, ...mistake }) => ({
    ...mistake,
    location: locationOf(document, pointer, part),
  }))
}
