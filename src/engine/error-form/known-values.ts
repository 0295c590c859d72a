import type { ErrorMeaning } from '../../contract/hints.ts'
import { getOwn } from '../../validation/objects.ts'
import { closestMember } from './closest-member.ts'
import type { ErrorFacts } from './error-facts.ts'
import type { ErrorProperty } from './error-property.ts'
import { fieldValues } from './field-values.ts'
import { isField, isSentence, normalizedName } from './known-names.ts'

type Values = (property: ErrorProperty, facts: ErrorFacts) => readonly unknown[]

/** What the properties of error bodies usually mean, by their names. The first rule that has the name applies. */
const RULES: readonly (readonly [names: RegExp, values: Values])[] = [
  [/^(is)?(success|successful|ok|succeeded|valid)$/, () => [false]],
  [/^(iserror|haserrors?|failed|isfailed|failure|isfailure)$/, () => [true]],
  [/^error$/, errorValues],
  [/^(status|(http)?statuscode|http(status|code)(value)?|response(code|status))$/, statusValues],
  [
    /^(\w*title|reasonphrase|(http)?status(text|message|description|reason)|phrase)$/,
    (_property, { phrase }) => [phrase],
  ],
  [/^type$/, typeValues],
  [/^reason$/, reasonValues],
  [
    /^((error|err|sub|fault|message|internal|problem|reason|exception|api|app|service|result)?code|\w*error(name|key|type|kind|class)|exception|kind|slug|message(key|id))$/,
    codeValues,
  ],
  [/^(name|key)$/, codeValues],
  [/^(error)?(timestamp|time|date|datetime|occurredat)(utc|ms|millis)?$/, timeValues],
  [/^(path|instance|request(path|uri|url)|endpoint|resourcepath)$/, addressValues],
  [/^(http|request)?(method|verb)$/, (_property, { request }) => (request ? [request.method] : [])],
  [
    /^(x?request|trace|correlation|transaction|req)id$/,
    (_property, { request }) => (request?.id === undefined ? [] : [request.id]),
  ],
  [/^(lang|language|locale|culture(name)?)$/, () => ['en', 'en-US', 'EN']],
  [
    /^retry(after|in)(seconds)?$/,
    (_property, { retryAfter }) =>
      retryAfter === undefined ? [] : [retryAfter, String(retryAfter)],
  ],
]

/** The usual name of what the hints say that a property contains. */
const NAMES: Readonly<Record<Exclude<ErrorMeaning, 'none'>, string>> = {
  code: 'code',
  message: 'message',
  title: 'title',
  status: 'status',
  field: 'field',
  time: 'timestamp',
  path: 'path',
  requestId: 'requestid',
  success: 'success',
}

/** The values that a property of an error body could have, the best first; empty when its name says nothing. */
export function knownValues(property: ErrorProperty, facts: ErrorFacts): readonly unknown[] {
  const meaning = getOwn(facts.meanings, property.name)
  if (meaning === 'none') return []
  const name = meaning ? NAMES[meaning] : normalizedName(property.name)
  if (isField(name, property.isItem)) return fieldValues(name, property)
  const rule = RULES.find(([names]) => names.test(name))
  if (rule) {
    const [, values] = rule
    const closest = closestMember(property.members, factsOf(property, facts))
    return closest === undefined ? values(property, facts) : [closest]
  }

  const isText = (name === 'value' || name === 'text') && isSentence(property.parentName)
  return isText || isSentence(name) ? sentences(property, facts) : []
}

/** The facts of one error in a list, or those of the whole. */
function factsOf({ isItem, item }: ErrorProperty, facts: ErrorFacts): ErrorFacts {
  return isItem && item ? { ...facts, ...item } : facts
}

function sentences(property: ErrorProperty, facts: ErrorFacts): readonly string[] {
  const { message } = factsOf(property, facts)
  const texts = [message, facts.phrase]
  const { maxLength } = property

  return maxLength === undefined ? texts : [...texts, message.slice(0, maxLength)]
}

/** The code in the spelling that the value has so far, then in others, for a pattern. */
function codeValues(property: ErrorProperty, facts: ErrorFacts): readonly unknown[] {
  const { code } = factsOf(property, facts)
  const words = code.split(/[^A-Za-z0-9]+/)
  const pascal = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
  const camel = pascal.slice(0, 1).toLowerCase() + pascal.slice(1)
  const spellings = [code, code.toUpperCase(), words.join('-'), pascal, camel, String(facts.status)]
  const own = STYLES.findIndex((style) => style.test(String(property.value)))

  return [...spellings.slice(own, own + 1), ...spellings, facts.status]
}

/** The spellings of {@link codeValues}. */
const STYLES = [
  /^[a-z0-9]+(_[a-z0-9]+)+$/,
  /^[A-Z0-9]*[A-Z]+[A-Z0-9]*(_[A-Z0-9]+)*$/,
  /^[a-z0-9]+(-[a-z0-9]+)+$/,
  /^([A-Z][a-z0-9]+){2,}$/,
  /^[a-z0-9]+([A-Z][a-z0-9]+)+$/,
  /^\d{3}$/,
]

/** OAuth 2 has the code in `error`, others the phrase beside a message, a flag, or the only sentence. */
function errorValues(property: ErrorProperty, facts: ErrorFacts): readonly unknown[] {
  const others = Object.keys(property.parent).map(normalizedName)
  if (others.includes('errordescription')) return [true, ...codeValues(property, facts)]
  const hasSentence = others.some((name) => name !== 'error' && isSentence(name))

  return [true, ...(hasSentence ? [facts.phrase] : sentences(property, facts)), facts.code]
}

/** A number, its text, or a name as in gRPC, where a number has the status. */
function statusValues(property: ErrorProperty, facts: ErrorFacts): readonly unknown[] {
  const { value, parent } = property
  const isName = /^[A-Z]+(_[A-Z]+)*$/.test(String(value)) || typeof parent.code === 'number'
  const name = facts.code.toUpperCase()

  return [facts.status, ...(isName ? [name] : []), String(facts.status), name]
}

/** RFC 9457 has the URI of a kind of problem in `type`, others a code. */
function typeValues(property: ErrorProperty, facts: ErrorFacts): readonly unknown[] {
  const { parent, format = '' } = property
  const isProblem = 'title' in parent || 'instance' in parent || /^ur[il]/.test(format)

  return isProblem ? ['about:blank'] : codeValues(property, facts)
}

/** The sentence, or a code beside it. */
function reasonValues(property: ErrorProperty, facts: ErrorFacts): readonly unknown[] {
  const hasMessage = Object.keys(property.parent).some((name) => /message|msg/i.test(name))
  return hasMessage ? codeValues(property, facts) : sentences(property, facts)
}

function timeValues({ name, format }: ErrorProperty, { now }: ErrorFacts): readonly unknown[] {
  const text = new Date(now).toISOString()
  const seconds = Math.floor(now / 1000)
  const isMilliseconds = format === 'int64' || /ms|milli/i.test(name)

  return [text, text.slice(0, 10), ...(isMilliseconds ? [now, seconds] : [seconds, now])]
}

function addressValues({ format = '' }: ErrorProperty, { request }: ErrorFacts): readonly string[] {
  if (!request) return []
  return /^(uri|url|iri)$/.test(format) ? [request.url] : [request.path, request.url]
}
