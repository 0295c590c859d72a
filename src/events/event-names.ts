import { doneWords } from '../inference/action-effects.ts'
import { isSameWord, wordsOf } from '../inference/id-property.ts'
import { wordOf } from '../inference/path-shape.ts'
import { singular } from '../resources/reference-names.ts'
import type { RecordChange } from '../resources/store/record-change.ts'
import { onceByText } from '../validation/objects.ts'

/** What happened to a record, as far as it names an event. */
export interface Happening {
  readonly kind: 'created' | 'updated' | 'deleted'
  /** The path template of the collection, such as `/shops/{shop}/orders`. */
  readonly path: string
  /** The word for the action that changed the record, such as `cancel`; absent for other changes. */
  readonly action?: string | undefined
  /** The texts that the change has set, such as `shipped`; they name it where a documented event has such a name. */
  readonly values?: readonly string[]
}

/** What a change is, as far as it names an event. */
export function happeningOf(change: RecordChange): Happening {
  const { kind, resource, action } = change
  return { kind, path: resource.path, action, values: newTexts(change) }
}

/** The texts that a change of an earlier request has set, such as `shipped`: the names of events tell of them. */
function newTexts({ at, record, before }: RecordChange): readonly string[] {
  if (at === undefined) return []
  return Object.entries(record).flatMap(([name, value]) =>
    typeof value === 'string' && before?.[name] !== value ? value : [],
  )
}

/** The words for a change in the names of events. */
const VERBS: Readonly<Record<Happening['kind'], readonly string[]>> = {
  created: ['created', 'create', 'added', 'add', 'new', 'opened', 'inserted', 'registered', 'made'],
  updated: ['updated', 'update', 'changed', 'change', 'edited', 'edit', 'modified', 'modify'],
  deleted: ['deleted', 'delete', 'removed', 'remove', 'destroyed', 'destroy', 'closed'],
}

/** Words in the names of events that say nothing about what happened. */
const EMPTY_WORDS = new Set([
  'on',
  'event',
  'events',
  'has',
  'been',
  'was',
  'is',
  'webhook',
  'v1',
  'api',
])

/** What a name counts that tells the change of a record, and one that tells the action, besides how well it tells the collection. */
const OF_KIND = 10
const OF_ACTION = 20

/** The words of the name of an event that say what happened. */
function tellingWords(name: string): readonly string[] {
  return wordsOf(name).filter((word) => !EMPTY_WORDS.has(word))
}

const ALL_VERBS: ReadonlySet<string> = new Set(Object.values(VERBS).flat())

/** The same with what it happened to: of `webhook.created`, the first word is that. */
const namedWords: (name: string) => readonly string[] = onceByText((name) => {
  const words = tellingWords(name)
  return words.every((word) => ALL_VERBS.has(word)) ? wordsOf(name) : words
})

/** The name of an event for which the document has none: `order.created`, or `order.cancelled` after an action. */
export function usualName({ kind, path, action }: Happening): string {
  const subject = wordsOf(wordOf(path))
  const last = singular(subject.at(-1) ?? 'record')
  const verb = action === undefined ? kind : (actionWords(action)[0] ?? kind)

  return `${[...subject.slice(0, -1), last].join('_')}.${verb}`
}

/**
 * The documented names of an event, those that fit best: the name tells the collection, and the change or the action. A name that tells
 * only the collection, such as `issues`, stands for every change of its records. None when no name fits.
 */
export function documentedNames(
  happening: Happening,
  documented: readonly string[],
): readonly string[] {
  const ranked = documented.map((name) => ({ name, rank: rankOf(name, happening) }))
  const best = Math.max(0, ...ranked.map(({ rank }) => rank))

  return best === 0 ? [] : ranked.flatMap(({ name, rank }) => (rank === best ? name : []))
}

/**
 * The name that a schema lists for what happened: one that fits, else the word for it alone, such as `created`; that of a change where it has none for
 * the action. `undefined` when the schema has none for it.
 */
export function listedName(happening: Happening, listed: readonly string[]): string | undefined {
  const [name] = documentedNames(happening, listed)
  if (name !== undefined) return name
  const { kind, action } = happening
  const words = [...(action === undefined ? [] : actionWords(action)), ...VERBS[kind]]
  const alone = (one: string): string => tellingWords(one).join(' ')

  return words.flatMap((word) => listed.filter((one) => alone(one) === word))[0]
}

/** What the name of an event says about the records of a collection; `undefined` when it is about others. */
export function kindNamed(name: string, path: string): Happening['kind'] | undefined {
  const kinds = ['created', 'deleted', 'updated'] as const
  const found = kinds.find((kind) => rankOf(name, { kind, path }) > OF_KIND)
  if (found) return found
  const words = namedWords(name)
  const subject = wordsOf(wordOf(path))
  // An action that the document does not have, or the word for the records alone, which stands for every change.
  const isChange = [words.slice(0, -1), words].some((some) => fitOf(some, subject, []) === 3)

  return isChange ? 'updated' : undefined
}

/** Whether the name of an event is that of an action on the records of a collection, such as `order.cancelled` of `cancel`. */
export function namesAction(name: string, { path, action }: Omit<Happening, 'kind'>): boolean {
  return rankOf(name, { kind: 'updated', path, action }) > OF_ACTION
}

/** How well the name of an event fits; 0 when it is of another event. `order.*` stands for several, and is the name of none. */
function rankOf(name: string, { kind, path, action, values = [] }: Happening): number {
  if (name.includes('*')) return 0
  const words = namedWords(name)
  const subject = wordsOf(wordOf(path))
  const all = path.split('/').flatMap((part) => (part.includes('{') ? [] : wordsOf(part)))
  const verbs = [...(action === undefined ? [] : actionWords(action)), ...values.flatMap(verbIn)]
  const ofAction = indexOfVerb(words, verbs)
  const at = ofAction < 0 ? indexOfVerb(words, VERBS[kind]) : ofAction
  const rest = words.filter((_, index) => index !== at)
  const fit = fitOf(rest, subject, all)
  if (fit === 0) return 0
  if (at < 0) return rest.length === words.length && fit === 3 ? 1 : 0

  return (ofAction < 0 ? OF_KIND : OF_ACTION) + fit
}

function indexOfVerb(words: readonly string[], verbs: readonly string[]): number {
  // The verb is mostly the last word: `order.created`, and else the first: `newOrder`.
  const last = words.length - 1
  return [last, 0].find((at) => words.length > 1 && verbs.includes(words[at] ?? '')) ?? -1
}

/** 3: the words are those of the collection; 2: with words of its path before them; 1: with other words before them; 0: others. */
function fitOf(
  words: readonly string[],
  subject: readonly string[],
  inPath: readonly string[],
): number {
  const own = words.slice(-subject.length)
  const isOwn =
    own.length === subject.length && own.every((word, at) => isSameWord(word, subject[at] ?? ''))
  if (!isOwn) return 0
  const before = words.slice(0, -subject.length)
  if (before.length === 0) return 3

  return before.every((word) => inPath.some((one) => isSameWord(one, word))) ? 2 : 1
}

/** The verb in a text that is one word, or several with their spaces left out. */
function verbIn(text: string): readonly string[] {
  const words = wordsOf(text)
  return words.length === 1 ? words : []
}

/** What an action is called in the names of events: `cancelled`, `canceled` and `cancel` of `cancel`. */
function actionWords(action: string): readonly string[] {
  const [verb = ''] = wordsOf(action)
  return [...doneWords(verb), ...pastForms(verb), verb]
}

function pastForms(verb: string): readonly string[] {
  const last = verb.at(-1) ?? ''
  if (last === 'e') return [`${verb}d`]
  if (/[^aeiou]y$/.test(verb)) return [`${verb.slice(0, -1)}ied`]

  return [`${verb}ed`, `${verb}${last}ed`]
}
