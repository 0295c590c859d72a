import { nestedSchema } from '../contract/bracket-names.ts'
import type { Operation, Schema } from '../contract/contract.ts'
import type { Action, OperationHints } from '../contract/hints.ts'
import {
  escapeKey,
  itemsOf,
  parsePointer,
  plainName,
  propertiesOf,
  type SchemaPlace,
  typesIn,
} from '../contract/schema.ts'
import { isSameWord, wordsOf } from './id-property.ts'
import { wordOf } from './path-shape.ts'
import { canBePropertyOf, findSent, isScalar, type RecordContext } from './record-place.ts'

// Where a request has what a record gets: in its body, in its query, or in a body that the document does not describe.

/** Where a request contains the record. A property that records have themselves is no envelope. */
export function sentRecordOf({ body }: Operation, context: RecordContext): SchemaPlace | undefined {
  const sent = body && findSent(nestedSchema(body.schema), context)
  const [outer = ''] = parsePointer(sent?.place ?? '')
  const around = body && propertiesOf(nestedSchema(body.schema)).get(outer)

  return around && canBePropertyOf(context.known ?? {}, outer, around) ? undefined : sent
}

/** An object with fewer properties has nothing of a request but by chance. */
const MIN_EMBEDDED = 4

/**
 * The object of a record that shows the whole request which created it, with placeholders for its properties: the `config` of a container,
 * whose properties the request has itself.
 */
export function embeddedBody(
  sent: Schema,
  record: Schema = {},
): Readonly<Record<string, unknown>> | undefined {
  const [names, own] = [propertiesOf(sent), propertiesOf(record)]
  for (const [name, schema] of own) {
    const inner = [...propertiesOf(schema).keys()]
    const isSent = inner.length >= MIN_EMBEDDED && inner.every((one) => names.has(one))
    const isShownItself = inner.filter((one) => own.has(one)).length > inner.length / 2
    if (!isSent || isShownItself || names.has(name)) continue
    return { [name]: Object.fromEntries(inner.map((one) => [one, `{body.${one}}`])) }
  }
  return undefined
}

/** What says that a request adds a record or changes the one that it names. */
export const SAVES: RegExp =
  /\b(create|add|insert)s? or (update|replace)s?\b|\bupdates? or (create|add|insert)s?\b|\bupserts?\b/i

/** The same of a record that has a value of the request already: "Creates a contact, or updates the contact with this e-mail". */
const SAVES_KNOWN =
  /\b(?:creat|add|insert)(?:es?|s)?\b[^.]{0,60}\b(?:updat|replac|overwrit)es?\b|\bexist(?:s|ing)?\b[^.]{0,60}\b(?:is|are|will be|gets) (?:updated|replaced|merged|overwritten)\b/i

/** What tells records apart besides their ids. */
const DISTINCT =
  /^(e?mail(address)?|username|login|phone(number)?|external(id|key|ref)|sku|slug|handle)$/

/**
 * The property by which a creation finds the record that it changes instead, where its description says so: `email` of "Creates a contact, or
 * updates the contact with this e-mail".
 */
export function savedKey(
  operation: Operation,
  text: string,
  context: RecordContext,
): string | undefined {
  if (!(SAVES.test(text) || SAVES_KNOWN.test(text))) return undefined
  const words = text.toLowerCase().match(/[a-z][\w-]*/g) ?? []
  const named = new Set(
    words.flatMap((word, at) => [word, `${word}${words[at + 1] ?? ''}`].map(plainName)),
  )
  const sent = propertiesOf(sentRecordOf(operation, context)?.schema ?? {})
  const found = [...sent.keys()].filter((name) => {
    const plain = plainName(name)
    return DISTINCT.test(plain) && (named.has(plain) || named.has(plain.replace('address', '')))
  })
  return found.length === 1 ? found[0] : undefined
}

/** The properties by which the creations of a collection find records that they change instead. */
export function savedKeys(
  collection: readonly Operation[],
  {
    id,
    describe,
    shown,
    ...context
  }: RecordContext & {
    readonly id: string
    readonly describe: (operation: Operation) => string
    /** The schema of a record in responses. */
    readonly shown: Schema
  },
): readonly string[] {
  const posts = collection.filter(({ method }) => method === 'POST')
  return posts.flatMap((operation) => {
    const key = savedKey(operation, describe(operation), context)
    return key !== undefined && key !== id && propertiesOf(shown).has(key) ? key : []
  })
}

/** Query parameters that say how an operation is performed, not what the record is. */
const ASIDE_VALUES =
  /^(version|revision|rev|etag|fields?|expand|include|force|dryrun|validateonly|callback|format|pretty|locale|lang|language|apikey|key|token|accesstoken)$/

/**
 * The query parameters that have the name and the type of a property of the record, by their names, where an operation gives the record
 * values: `POST /cards?name=…`, `POST /containers/{id}/rename?name=…`. An action may leave out its own word: `PUT /player/shuffle?state=true`
 * sets `shuffle_state`.
 */
export function queryValues(
  operation: Operation,
  action: Action,
  id: string,
  context: RecordContext,
): Readonly<Record<string, string>> | undefined {
  if (!/^(create|update|replace|act)$/.test(action)) return undefined
  const sent = propertiesOf(sentRecordOf(operation, context)?.schema ?? {})
  const own = [...propertiesOf(context.known ?? {})].filter(
    ([name, { readOnly }]) => readOnly !== true && (name !== id || action === 'create'),
  )
  const found = operation.parameters.flatMap(({ in: place, name, schema, required }) => {
    // What a body has need not be in the query, unless that must have it.
    const isOpen = (one: string): boolean => !sent.has(one) || required
    const plain = plainName(name)
    if (place !== 'query' || ASIDE_VALUES.test(plain)) return []
    const called = action === 'act' ? [plain, plainName(wordOf(operation.path)) + plain] : [plain]
    const property = own.find(
      ([one, shown]) =>
        isOpen(one) && called.includes(plainName(one)) && haveSameType(shown, schema),
    )
    return property ? [[name, property[0]]] : []
  })
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

/**
 * Where a request has a list of values, each of which makes a record: `emails` in `{ "emails": ["a@example.com"] }` for records with an `email`.
 * `undefined` where requests have anything else of the records.
 */
export function listedValues(
  { body, method }: Operation,
  id: string,
  { known = {} }: RecordContext,
): Pick<OperationHints, 'body' | 'part'> | undefined {
  if (!body || method !== 'POST') return undefined
  const own = propertiesOf(known)
  const sent = [...propertiesOf(nestedSchema(body.schema))]
  if (sent.some(([name]) => own.has(name))) return undefined
  const found = sent.flatMap(([name, schema]) => {
    const items = itemsOf(schema)
    const words = [plainName(name), wordsOf(name).at(-1) ?? '']
    const property = [...own].find(
      ([one, shown]) =>
        one !== id &&
        items &&
        words.some((word) => isSameWord(word, plainName(one))) &&
        isScalar(shown) &&
        haveSameType(shown, items),
    )
    return property ? [{ body: `/${escapeKey(name)}`, part: property[0] }] : []
  })
  return found.length === 1 ? found[0] : undefined
}

function haveSameType(one: Schema, other: Schema): boolean {
  const types = typesIn(other)
  return [...typesIn(one)].some((type) => type !== 'null' && types.has(type))
}

/** Whether an operation gives a record values of which the document says nothing. */
export function takesAnyBody({ body, method }: Operation, action: Action): boolean {
  return !body && /^(POST|PUT|PATCH)$/.test(method) && /^(create|update|replace)$/.test(action)
}
