import type { ServiceHints } from '../contract/service-hints.ts'
import { isBearerToken, isDocumentableHeader } from '../http/headers.ts'
import { isObject } from '../validation/objects.ts'
import {
  fields,
  is,
  mistakesIn,
  type ValueCheck,
  type ValueMistake,
  type ValuePath,
} from '../validation/value-check.ts'
import { followRefs } from './document.ts'
import { checkOf } from './hints/hint-schema.ts'
import { keySchema, SERVICE_VOCABULARY } from './hints/service-vocabulary.ts'
import { asObject, type JsonObject, refOf } from './json-value.ts'
import type { LocatedMistake } from './security.ts'

/** The hints for the whole service, and what is wrong with them. */
export interface ReadServiceHints {
  /** Without the hints that are wrong. */
  readonly hints: ServiceHints
  readonly mistakes: readonly LocatedMistake[]
}

const EXTENSION = 'x-sandbox'

/** Reads the `x-sandbox` of a document. Never throws: a hint that is wrong is left out. `undefined` without the extension. */
export function readServiceHints(root: JsonObject): ReadServiceHints | undefined {
  if (root[EXTENSION] === undefined) return undefined
  const value = withRecords(root, root[EXTENSION])
  const mistakes = mistakesIn(value, hintsCheck(asObject(asObject(value).plans)))

  return {
    hints: withoutMistakes(asObject(value), mistakes),
    mistakes: mistakes.map(({ path, part, reason, help: _, ...suggestion }) => ({
      reason: path.length === 0 ? `"${EXTENSION}" must be an object` : `${EXTENSION}: ${reason}`,
      pointer: [EXTENSION, ...path.map(String)],
      part,
      assumed: 'it is ignored',
      ...suggestion,
    })),
  }
}

/** The hints with the records of the file that they refer to; without records, if it could not be read. */
function withRecords(root: JsonObject, value: unknown): unknown {
  const hints = asObject(value)
  if (refOf(hints.records) === undefined) return value
  const { records, ...others } = hints
  const target = followRefs({ root }, { value: records, pointer: [] })

  return target ? { ...others, records: target.value } : others
}

const KEY_NAME = is(
  'an API key of letters, digits and -._~+/',
  (value) => typeof value === 'string' && isBearerToken(value),
)

const CHECKS = Object.fromEntries(
  Object.entries(SERVICE_VOCABULARY).map(([name, schema]) => [name, checkOf(schema)]),
)

const HEADER_NAME = is(
  'the name of a header that says nothing about the content, the connection or the sandbox',
  (value) => typeof value === 'string' && isDocumentableHeader(value),
)

const FIGURE = checkOf(SERVICE_VOCABULARY.rateLimitHeaders.additionalProperties || {})

function hintsCheck(plans: JsonObject): ValueCheck {
  const key = checkOf(keySchema(Object.keys(plans)))

  return fields({
    ...CHECKS,
    keys: each(key, KEY_NAME),
    rateLimitHeaders: each(FIGURE, HEADER_NAME),
  })
}

/** An object with any names that pass `name`, and values that pass `check`. */
function each(check: ValueCheck, name: ValueCheck): ValueCheck {
  return (value, path, mistakes) => {
    if (!isObject(value)) return is('an object', isObject)(value, path, mistakes)
    for (const [key, member] of Object.entries(value)) {
      name(key, [...path, key], mistakes)
      check(member, [...path, key], mistakes)
    }
  }
}

/** The hints whose members are independent of each other. */
const MAPS: ReadonlySet<string> = new Set(['plans', 'keys', 'rateLimitHeaders'])

/** The hints that have no mistake. Of plans, keys and headers, only the wrong ones are left out. */
function withoutMistakes(value: JsonObject, mistakes: readonly ValueMistake[]): ServiceHints {
  const kept = (object: JsonObject, path: ValuePath, depth: number): JsonObject =>
    Object.fromEntries(
      Object.entries(object).flatMap(([name, member]): [string, unknown][] => {
        const at = [...path, name]
        if (!mistakes.some((mistake) => startsWith(mistake.path, at))) return [[name, member]]
        const isMap = depth === 0 && MAPS.has(name) && isObject(member)
        return isMap ? [[name, kept(member, at, depth + 1)]] : []
      }),
    )

  return kept(value, [], 0)
}

function startsWith(path: ValuePath, start: ValuePath): boolean {
  return start.every((step, index) => path[index] === step)
}
