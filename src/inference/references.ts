import type { Schema } from '../contract/contract.ts'
import {
  ITSELF,
  type ReferenceHints,
  type ResourceHints,
  SERVICE_VALUES,
} from '../contract/hints.ts'
import {
  isNumeric,
  isObjectSchema,
  itemsOf,
  listedValues,
  plainName,
  propertiesOf,
  requiredNames,
  typesIn,
  withBranches,
} from '../contract/schema.ts'
import { groupBy, once, onceByText } from '../validation/objects.ts'
import { hasScalars } from './equality.ts'
import { type Group, hasMembers, MEMBERS } from './groups.ts'
import { formsOf, isSameWord, wordsOf } from './id-property.ts'
import type { InferredResource } from './infer-resource.ts'
import { CALLERS, otherSpellings, parametersIn, ROLE, withoutNames } from './path-shape.ts'

// Records contain objects that show others, such as the `assignee` of a task, which is one of the users.

/** The name and the schema of what may show a record, and the resource whose records have it. */
type Shown = readonly [name: string, schema: Schema, own: InferredResource]

/** Finds the resources whose records something shows. */
type Targets = (...shown: Shown) => Iterable<InferredResource>

/** Finds what the objects in records refer to. */
export interface ReferenceFinder {
  /** The properties of the records of a collection that show records of others, and what new records have in these. */
  readonly of: (own: InferredResource) => Pick<ResourceHints, 'references' | 'values'>
  /** The resource whose records a property with this schema shows. */
  readonly target: (...shown: Shown) => InferredResource | undefined
}

/**
 * Finds what properties refer to. `group` has the operations on a collection and its records, on all paths, and `resource` the collection
 * that has the records of a path.
 */
export function createReferenceFinder(
  groups: ReadonlyMap<string, Group>,
  group: (path: string) => Group | undefined,
  resource: (path: string) => InferredResource | undefined,
): ReferenceFinder {
  const byWord = once((all: ReadonlyMap<string, Group>) => pathsByWord(all))
  const callers = once((all: ReadonlyMap<string, Group>) =>
    [...all.values()].flatMap(({ word, path, itemPath }) =>
      CALLERS.test(word) && itemPath !== undefined && !path.includes('{') ? path : [],
    ),
  )
  // One after the other, because finding out about a collection takes long in a large document.
  function* targets(...[name, schema, own]: Shown): Iterable<InferredResource> {
    const shown = withBranches(itemsOf(schema) ?? schema).filter(isRecord)
    if (shown.length === 0) return
    const word = plainName(name)
    const named = wordsFor(name, schema).flatMap((one) =>
      formsOf(one).flatMap((form) => byWord(groups).get(form) ?? []),
    )
    const sameKind = /^parent/.test(word) ? [own.hints.path] : []
    const people = ROLE.test(word) ? callers(groups) : []
    for (const path of new Set([...closest(named, own.hints.path), ...sameKind, ...people])) {
      const found = resource(path)
      if (found && shown.some((schema) => shows(schema, found))) yield found
    }
  }
  const target: ReferenceFinder['target'] = (...named) => wholeOf(targets(...named))

  const of: ReferenceFinder['of'] = (own) => {
    const operations = group(own.hints.path)
    if (!operations) return {}
    if (!isWritten(operations)) {
      const shown = shownByList(operations, own, targets)
      return shown === undefined ? {} : { references: { [ITSELF]: shown } }
    }
    const shown = shownByMembers(operations, own, targets)
    const found = [...propertiesOf(own.context.known ?? {})].flatMap(([name, schema]) => {
      const known = { words: byWord(groups), resource }
      const reference =
        referenceFor(name, schema, own, target) ??
        valueBeside(name, schema, own, known) ??
        valueOfMember(name, schema, own, known) ??
        keyBeside(name, schema, own, known)
      return reference === undefined ? [] : [[name, reference] as const]
    })
    if (shown !== undefined) found.unshift([ITSELF, shown])
    const lists = emptyLists(own, byWord(groups))
    if (found.length + lists.length === 0) return {}
    const references = Object.fromEntries(found)
    const values = {
      ...{ ...unrelatedValues(references, own), ...Object.fromEntries(lists) },
      ...own.hints.values,
    }

    return {
      ...(found.length > 0 && { references }),
      ...(Object.keys(values).length > 0 && { values }),
    }
  }

  return { of, target }
}

/** What a property may be called after: its name, the last word of it, and what may be in the place of an id. */
function wordsFor(name: string, schema: Schema): readonly string[] {
  const described = withBranches(itemsOf(schema) ?? schema).flatMap(
    ({ describedReference: one = '' }) => wordsOf(one).join(''),
  )
  const words = [plainName(name), wordsOf(name).at(-1) ?? '', ...described]
  return [...words, ...words.flatMap(otherSpellings)]
}

/** The collection that a request is about: a list without paths to its records may lack the one that it names. */
function wholeOf(found: Iterable<InferredResource>): InferredResource | undefined {
  let first: InferredResource | undefined
  for (const one of found) {
    if (one.hints.item !== undefined) return one
    first ??= one
  }
  return first
}

interface KnownCollections {
  /** The paths of the collections by their words. */
  readonly words: ReadonlyMap<string, readonly NamedPath[]>
  readonly resource: (path: string) => InferredResource | undefined
}

/** What a text such as `account_name` shows of the record that `account_id` names. */
function valueBeside(
  name: string,
  schema: Schema,
  own: InferredResource,
  { words, resource }: KnownCollections,
): ReferenceHints[string] | undefined {
  const [called, shown = ''] = [wordsOf(name).slice(0, -1), wordsOf(name).at(-1)]
  if (called.length === 0 || !SHOWN.test(shown) || !isText(schema)) return undefined
  const stem = called.join('')
  const names = [...propertiesOf(own.context.known ?? {}).keys(), ...own.sent].map(
    (one) => [one, plainName(one)] as const,
  )
  const by = names.find(
    ([, one]) => one.startsWith(stem) && ONLY_IDS.test(one.slice(stem.length)),
  )?.[0]
  if (by === undefined) return undefined
  const forms = [stem, called.at(-1) ?? ''].flatMap((word) => formsOf(word))
  const paths = forms.flatMap((form) => words.get(form) ?? [])
  for (const path of closest(paths, own.hints.path)) {
    const { hints, context } = resource(path) ?? {}
    const shows = [...propertiesOf(context?.known ?? {})].find(
      ([property, value]) => plainName(property) === shown && isText(value),
    )?.[0]
    if (hints?.item !== undefined && shows !== undefined) return { of: hints.name, by, shows }
  }
  return undefined
}

/** What a member such as `{ "user_id": …, "name": …, "role": … }` shows of the user whom it names. */
function valueOfMember(
  name: string,
  schema: Schema,
  { context: { known = {}, word }, sent, hints: { id, path } }: InferredResource,
  { words, resource }: KnownCollections,
): ReferenceHints[string] | undefined {
  const isOfPerson = MEMBERS.test(word) && OF_PERSON.test(plainName(name)) && isText(schema)
  if (!isOfPerson || sent.has(name) || name === id) return undefined
  const named = [...propertiesOf(known).keys()].flatMap((by) => {
    const [ending, stem] = [wordsOf(by).at(-1) ?? '', wordsOf(by).slice(0, -1).join('')]
    return ONLY_IDS.test(ending) && CALLERS.test(stem) ? [{ by, stem }] : []
  })
  const [only] = named.length === 1 ? named : []
  const paths = formsOf(only?.stem ?? '').flatMap((form) => words.get(form) ?? [])
  const targets = closest(paths, path).flatMap((one) => resource(one) ?? [])
  const of = targets.find(
    ({ hints, context }) =>
      hints.item !== undefined && isText(propertiesOf(context.known ?? {}).get(name) ?? {}),
  )
  return of && only && { of: of.hints.name, by: only.by, shows: name }
}

/** What a member shows of a person. */
const OF_PERSON =
  /^((first|last|full|display|given|family|user|nick)?name|email(address)?|login|handle|avatar(url)?|picture(url)?|phone(number)?)$/

/**
 * Another key of the record that a request names: `acme_wallet_id`, the `acme_id` of the wallet, where requests have its `wallet_id`, or records
 * an `external_wallet_id` besides.
 */
function keyBeside(
  name: string,
  schema: Schema,
  own: InferredResource,
  { words, resource }: KnownCollections,
): ReferenceHints[string] | undefined {
  if (!hasScalars(schema) || name === own.hints.id || own.sent.has(name)) return undefined
  const names = [...own.sent, ...propertiesOf(own.context.known ?? {}).keys()]
  const others = names.filter((one) => one !== name)
  const splits = splitsOf(name).filter(
    ({ rest }) => rest.length > 1 && ONLY_IDS.test(rest.at(-1) ?? ''),
  )
  for (const split of splits) {
    for (const path of closest(words.get(split.word) ?? [], own.hints.path)) {
      const target = path === own.hints.path ? undefined : resource(path)
      const found = target && keyShownOf(target, split, others)
      if (found) return found
    }
  }
  return undefined
}

/** The reference of a property with the name of another key of a record, which one of the others names. */
function keyShownOf(
  target: InferredResource,
  { word, plainRest }: Split,
  others: readonly string[],
): ReferenceHints[string] | undefined {
  const shows = keyOf(target, plainRest)
  const by = shows === undefined ? undefined : others.find((one) => isNamedByKey(one, word, target))

  return shows === undefined || by === undefined ? undefined : { of: target.hints.name, by, shows }
}

/** The property of records with a plain name, where paths lead to them. */
function keyOf({ hints, context }: InferredResource, wanted: string): string | undefined {
  if (hints.item === undefined) return undefined
  return [...propertiesOf(context.known ?? {}).keys()].find((one) => plainName(one) === wanted)
}

/** Whether a name is that of a record, with `id` or one of its keys. */
function isNamedByKey(name: string, word: string, { hints }: InferredResource): boolean {
  const keys = ['id', hints.id, ...(hints.keys ?? [])].map(plainName)
  return keys.some((key) => isKeyNamed(name, key, formsOf(word)))
}

/** The words of a name with some that follow each other taken out: `wallet`, of which `acme` and `id` are left. */
const splitsOf: (name: string) => readonly Split[] = onceByText((name) => {
  const words = wordsOf(name)
  return words.flatMap((_, from) =>
    words.slice(from).map((_, count) => {
      const rest = [...words.slice(0, from), ...words.slice(from + count + 1)]
      const word = words.slice(from, from + count + 1).join('')
      return { word, rest, plainRest: rest.join(''), isStart: from === 0 }
    }),
  )
})

interface Split {
  readonly word: string
  readonly rest: readonly string[]
  readonly plainRest: string
  /** Whether the name starts with the words. */
  readonly isStart: boolean
}

/** Whether a name is that of a record with that of its key, in any order: `external_customer_id` for the `external_id` of a `customer`. */
function isKeyNamed(name: string, key: string, records: readonly string[]): boolean {
  return splitsOf(name).some(({ word, plainRest }) => plainRest === key && records.includes(word))
}

/** What a record is called by, as another one shows it beside its id. */
const SHOWN = /^(name|title|label|email|username|code|slug|number)$/

function isText(schema: Schema): boolean {
  return typesIn(schema).has('string') && listedValues(schema).length === 0
}

/** The lists of ids in new records: they are empty. `words` has those of the collections. */
function emptyLists(
  { context: { known = {} } }: InferredResource,
  words: ReadonlyMap<string, unknown>,
): readonly (readonly [name: string, value: readonly unknown[]])[] {
  return [...propertiesOf(known)].flatMap(([name, schema]) => {
    const isOfRecords = listsIds(name, schema) && wordsOfList(name).some((word) => words.has(word))
    return isOfRecords ? [[name, []] as const] : []
  })
}

/** Whether a property lists ids: numbers, or texts under a name such as `volume_ids`. */
function listsIds(name: string, schema: Schema): boolean {
  const items = itemsOf(schema)
  const isOwn = items !== undefined && !(Number(schema.minItems) > 0)
  return isOwn && (isNumeric(items) || (typesIn(items).has('string') && ID_LIST.test(name)))
}

const ID_LIST = /(_ids|-ids|Ids|IDs)$/

/** What a list of ids may be called as: `volumes` and `volume` of `volume_ids`. */
function wordsOfList(name: string): readonly string[] {
  return formsOf(plainName(name.replace(ID_LIST, '')))
}

function referenceFor(
  name: string,
  schema: Schema,
  own: InferredResource,
  target: ReferenceFinder['target'],
): ReferenceHints[string] | undefined {
  const found = name === own.hints.id ? undefined : target(name, schema, own)?.hints
  // What may be an id stays one until a request expands it. A name only stands for the record in requests.
  const isId = hasScalars(itemsOf(schema) ?? schema) && (!itemsOf(schema) || isIdName(found?.id))
  const of = isId ? undefined : found?.name
  if (of === undefined) return undefined
  const by = keyNameOf(name, own, [found?.id ?? '', ...(found?.keys ?? [])].map(plainName))
  return by === undefined ? of : { of, by }
}

/** The collection of which a collection below a record has some, such as the users in `/teams/{id}/members/{userId}`. */
function shownByMembers(
  operations: Group,
  own: InferredResource,
  targets: Targets,
): string | undefined {
  const { known } = own.context
  if (!known || !hasMembers(operations)) return undefined
  const { word, parameter = '' } = operations
  for (const name of [word, parameter.replace(/[_-]?ids?$/i, '')]) {
    for (const { hints } of name === '' ? [] : targets(name, known, own))
      if (hints.name !== own.hints.name && !isBelow(hints, own)) return hints.name
  }
  return undefined
}

/** The collection of which a list shows some, such as the albums in `/artists/{id}/albums`: no path leads to its own records. */
function shownByList(
  { path, word, item, itemPath }: Group,
  own: InferredResource,
  targets: Targets,
): string | undefined {
  const { known } = own.context
  if (!known || own.hints.isSingle || itemPath !== undefined || item.length > 0) return undefined
  for (const { hints, context } of targets(word, known, own)) {
    // A list of users names no customers, even where these have the same properties.
    const isOfOthers = USERS.test(word) && !isSameWord(context.word, word)
    if (hints.item === undefined || hints.path === path || isOfOthers) continue
    if (!isBelow(hints, own)) return hints.name
  }
  return undefined
}

const USERS = /^users?$/i

/** What new records have instead of references that their requests can name, and do not: nothing. */
function unrelatedValues(
  references: ReferenceHints,
  own: InferredResource,
): Readonly<Record<string, unknown>> {
  const values = Object.entries(references).flatMap(([name, to]) => {
    if (name === ITSELF) return []
    const value = unrelatedValue(name, typeof to === 'string' ? name : to.by, own)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(values)
}

function unrelatedValue(
  name: string,
  by: string,
  { context: { known = {} }, sent }: InferredResource,
): unknown {
  const schema = propertiesOf(known).get(name) ?? {}
  if (itemsOf(schema)) return Number(schema.minItems) > 0 ? undefined : []
  const isChosen = sent.has(name) || sent.has(by) || ENDED.test(plainName(name))
  if (!isChosen) return undefined
  if (typesIn(schema).has('null')) return null
  // What requests send themselves is absent without a rule.
  const isMissing = !(sent.has(name) || requiredNames(known).has(name))

  return isMissing ? SERVICE_VALUES.absent : undefined
}

/** Who ended what has just begun. */
const ENDED = /^(closed|merged|deleted|archived|resolved|completed|cancell?ed|approved|rejected)by$/

function isBelow({ path }: ResourceHints, own: InferredResource): boolean {
  return withoutNames(path).startsWith(`${withoutNames(own.hints.path)}/`)
}

/** Whether requests can add or change records. */
function isWritten({ collection, item }: Group): boolean {
  return [...collection, ...item].some(({ method }) => /^(POST|PUT|PATCH)$/.test(method))
}

/** The path of a collection, and what tells whether a record knows its parents. */
export interface NamedPath {
  readonly path: string
  /** The path above it without the names of its parameters; absent when it has none. */
  readonly above: string | undefined
  readonly parameters: number
}

export function pathsByWord(
  groups: ReadonlyMap<string, Group>,
): ReadonlyMap<string, readonly NamedPath[]> {
  const paths = new Map<string, NamedPath[]>()
  for (const { word, path } of groups.values()) {
    const above = path.slice(0, path.lastIndexOf('/'))
    const named = {
      path,
      above: above.includes('{') ? `${withoutNames(above)}/` : undefined,
      parameters: parametersIn(path).length,
    }
    for (const form of formsOf(word)) {
      const known = paths.get(form)
      if (known) known.push(named)
      else paths.set(form, [named])
    }
  }
  return paths
}

/** The paths of which a record knows the parents, as they are its own, the deepest first. */
export function closest(paths: readonly NamedPath[], own: string): readonly string[] {
  const start = `${withoutNames(own)}/`
  return paths
    .filter(({ above }) => above === undefined || start.startsWith(above))
    .sort((one, other) => other.parameters - one.parameters)
    .map(({ path }) => path)
}

function isRecord(schema: Schema): boolean {
  return isObjectSchema(schema) && propertiesOf(schema).size > 0
}

/** Such a part of the names tells that an object shows a record of a collection. */
const LIKE_PART = 0.6

/** Whether an object shows a record of a collection: it has a key of the record, and most of its properties are those of the record. */
function shows(shown: Schema, { hints, context }: InferredResource): boolean {
  const { known } = context
  if (!known || hints.isSingle) return false
  const [names, own] = [[...propertiesOf(shown).keys()], propertiesOf(known)]
  const keys = [hints.id, ...(hints.keys ?? [])]
  const shared = names.filter((name) => own.has(name)).length

  return names.some((name) => keys.includes(name)) && shared >= names.length * LIKE_PART
}

/**
 * The property with the ids for an object: `project_id`, `leadAccountId`, `label_ids` and `external_project_id`. Where records have it, and not only requests, it
 * must be called an id.
 */
function keyNameOf(
  name: string,
  own: InferredResource,
  keys: readonly string[],
): string | undefined {
  const known = propertiesOf(own.context.known ?? {})
  const found = formsOf(plainName(name))
    .flatMap((form) => namesWith(own).get(form) ?? [])
    .filter(({ name: one, split: { isStart, rest, plainRest } }) => {
      if (one !== name && keys.includes(plainRest)) return true
      return isStart && (known.has(one) ? ONLY_IDS : ID_WORDS).test(rest.at(-1) ?? '')
    })
    .sort((one, other) => one.at - other.at)
  const key = found.find((one) => !known.has(one.name)) ?? found[0]

  return key?.name
}

interface NameWith {
  readonly name: string
  /** Its place among the names. */
  readonly at: number
  readonly split: Split
}

/** The names that requests and records have, by the words in them. */
const namesWith = once((own: InferredResource): ReadonlyMap<string, readonly NameWith[]> => {
  const names = [...own.sent, ...propertiesOf(own.context.known ?? {}).keys()]
  const all = names.flatMap((name, at) => splitsOf(name).map((split) => ({ name, at, split })))

  return groupBy(all, ({ split }) => split.word)
})

const ID_WORDS = /^(ids?|gids?|uuids?|sids?|slugs?|keys?|names?)$/
/** Whether a property is called an id, as one of a record that a request may expand. */
function isIdName(name = 'id'): boolean {
  return ID_NAME.test(wordsOf(name).at(-1) ?? '')
}

const ID_NAME = /^(ids?|gids?|uuids?|guids?|sids?)$/
const ONLY_IDS = /^(ids?|gids?|uuids?|sids?)$/
